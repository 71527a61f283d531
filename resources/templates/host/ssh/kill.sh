# Ends whatever a cancelled command has left running.
# Source: proc_pid_stat(5): after the name in parentheses come state, parent and process group.
# What cannot be seen as marked (a user cannot read the environment of a ping with capabilities) goes with its group.
# Finds everything that carries a run's name in its command line or environment, and the process groups led by it;
# asks them to end, and after half a second makes them. The name is in the script's text, which comes on stdin, and grep
# gets it with its first letter in brackets: so neither finds itself. `kill` gets no `--`, which dash's does not know.
# Not by end_processes: a script that is asked to end may start one program more, so each round searches anew, and groups end.

{
mark=@MARK@
targets=
round=0
while [ $round -lt 12 ]; do
  pids=" "
  for file in $(grep -ls -e "[t]${mark#t}" /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null); do
    file=${file#/proc/}
    [ "${file%/*}" = "$$" ] || pids="$pids${file%/*} "
  done
  for pid in $pids; do
    { read -r line <"/proc/$pid/stat"; } 2>/dev/null || continue
    set -- ${line##*) }
    case $pids in *" $3 "*) pid=-$3 ;; esac
    case " $targets " in *" $pid "*) ;; *) targets="$targets $pid" ;; esac
  done
  signal=TERM
  [ $round -lt 6 ] || signal=KILL
  [ "$pids" != " " ] || [ $round -eq 0 ] || signal=KILL
  for pid in $targets; do kill -$signal "$pid" 2>/dev/null; done
  [ "$pids" != " " ] || [ $round -eq 0 ] || exit 0
  round=$((round + 1))
  sleep 0.1 2>/dev/null || sleep 1
done
exit 1
}
