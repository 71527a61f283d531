# Whether vtund runs. $1 the session, $2 the title of the process that listens, $3 the configuration, which is in its command line
# before there is a title. A space follows the session in titles, so that it is not the beginning of another one.

for entry in /proc/[0-9]*; do
  { read -r name < "$entry/comm"; } 2> /dev/null || continue
  if [ "$name" = vtund ] && grep -q -F -e "$1 " -e "$2" -e "$3" "$entry/cmdline" 2> /dev/null; then exit 0; fi
done
exit 1
