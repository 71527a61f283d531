# One line per module that is there, in whatever way: loaded, built in, in a device's list, or to be loaded.
# Source: modules.dep(5), modprobe(8), Kbuild (modules.builtin). OpenWrt has no modules.dep, but a flat folder.
# @include path.sh
dir=/lib/modules/$(uname -r)
files=
for f in /proc/modules /proc/misc "$dir/modules.builtin" "$dir/modules.dep"; do [ ! -r "$f" ] || files="$files $f"; done
awk -v names="$*" '
  BEGIN { n = split(names, list, " "); for (i = 1; i <= n; i++) wanted[list[i]] = 1 }
  { name = FILENAME == "/proc/misc" ? $2 : $1
    sub(/:.*/, "", name); sub(/.*\//, "", name); sub(/\.ko.*/, "", name); gsub(/-/, "_", name) }
  name in wanted { print name }' $files
for n in "$@"; do
  if [ -d "/sys/module/$n" ] || [ -e "$dir/$n.ko" ] || [ -e "$dir/$n.ko.gz" ]; then echo "$n"; continue; fi
  [ -r "$dir/modules.dep" ] || ! modprobe -n -q "$n" >/dev/null 2>&1 || echo "$n"
done
true
