# Makes the table of clamp.sh, unless the kernel has no module for firewall tables of bridges: then it ends with 1.
# Arguments as for clamp.sh; with -c, nothing is changed.

if [ "$1" = inet ] && [ ! -d /sys/module/nf_tables ]; then
    # Only the question would load it.
    case $(modprobe -n -v nf_tables 2> /dev/null) in *insmod*) exit 0 ;; esac
fi

# @include bridge-tables.sh
# @include clamp-make.sh
