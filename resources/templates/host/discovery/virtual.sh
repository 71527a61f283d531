# What the host runs in: systemd's word, the maker of the machine, a container.
# @include path.sh
systemd-detect-virt 2>/dev/null
[ ! -r /sys/class/dmi/id/sys_vendor ] || cat /sys/class/dmi/id/sys_vendor
[ ! -e /.dockerenv ] || echo docker
