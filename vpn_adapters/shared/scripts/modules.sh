# `NAME loaded|built-in|loadable|working|missing` for each kernel module.
# OpenWrt and Yocto keep modules in one flat folder; some have no `modprobe -n`. A kernel in one piece may come without
# any folder of modules, and what is built in is in /sys/module only where it has a version or parameters: a driver at
# work shows by its device. Source: kernel.org, Documentation/admin-guide/devices.txt (misc: 10, 200 is TUN) and
# Documentation/ABI/stable/sysfs-module. One program looks through the files for all modules: starting one costs a small
# gateway tens of milliseconds.

read -r release < /proc/sys/kernel/osrelease
folder=/lib/modules/$release
set -f
asked=
listed=
for module in "$@"; do
  # shellcheck disable=SC1087 # a bracket expression, no array
  if ! [ -e "/sys/module/$module" ]; then asked="$asked -e /$module[.]ko"; fi
done
if [ -n "$asked" ]; then listed=$(grep -Hos $asked "$folder/modules.builtin" "$folder/modules.dep"); fi
for module in "$@"; do
  if [ -e "/sys/module/$module" ]; then echo "$module loaded"; continue; fi
  case "$listed" in
    *"/modules.builtin:/$module.ko"*) echo "$module built-in"; continue ;;
    *"/modules.dep:/$module.ko"*) echo "$module loadable"; continue ;;
  esac
  if [ -e "$folder/$module.ko" ]; then echo "$module loadable"
  elif grep -qsx "[ 0-9]* $module" /proc/misc; then echo "$module working"
  elif [ "$module" = tun ] && [ -c /dev/net/tun ]; then echo "$module working"
  elif modprobe -n -q "$module" 2>/dev/null; then echo "$module loadable"
  else echo "$module missing"
  fi
done
