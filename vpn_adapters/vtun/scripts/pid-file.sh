# The file with the id of the host's own vtund, over which ours writes. `keep_pid_file CONFIG` keeps what is in it beside our
# configuration, `restore_pid_file CONFIG` restores it; a script that is killed in between leaves that to the next one.
# Source: VTun 3.0.4, main.c, write_pid.

pid_file=/run/vtund.server.pid
keep_pid_file() {
  if [ -e "$pid_file" ]; then cp -p "$pid_file" "$1.pid"; else : > "$1.no-pid"; fi
}
restore_pid_file() {
  if [ -e "$1.pid" ]; then mv "$1.pid" "$pid_file"
  elif [ -e "$1.no-pid" ]; then rm -f "$pid_file" "$1.no-pid"
  fi
}
