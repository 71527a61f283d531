# fastd_processes CONFIG: prints the process of the daemon that has this configuration. It is not root's, and its
# environment cannot be read everywhere: its name and its command line show it.
fastd_processes() {
  for entry in /proc/[0-9]*; do
    { read -r name < "$entry/comm"; } 2> /dev/null || continue
    if [ "$name" = fastd ] && grep -q -F -e "$1" "$entry/cmdline" 2> /dev/null; then echo "${entry#/proc/}"; fi
  done
}
