# Undoes what joining a tunnel with a LAN port has done, as far as it came. Arguments as for joining.

# @include lan-addresses.sh

bridge=$1 tunnel=$2 port=$3 inner=$4
saved=/run/tunnelmark-$bridge.lan
rm -f "$saved.new"
# A bridge of the same name that neither of ours belongs to is not ours.
if [ ! -e "$saved" ] && ! is_port_of "$tunnel" && ! is_port_of "$port"; then exit 0; fi
restore_port
