# Removes sshd's folder, if it is ours. $1 file that says so.

[ -e "$1" ] || exit 0
for folder in /proc/[0-9]*; do
  name=
  { read -r name < "$folder/comm"; } 2>/dev/null || continue
  case $name in sshd*) exit 0 ;; esac
done
rmdir /run/sshd 2>/dev/null
rm -f "$1"
