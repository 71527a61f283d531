# One line per interface: name|MAC|MTU|flags|speed. Source: Documentation/ABI/testing/sysfs-class-net.
# @include path.sh
cd /sys/class/net || exit 1
get() { value=; { read -r value <"$1"; } 2>/dev/null; }
for nic in *; do
    [ -d "$nic" ] || continue
    line=$nic
    for file in address mtu flags speed; do
        get "$nic/$file"
        line="$line|$value"
    done
    echo "$line"
done
