# @include /end-processes.sh
# end_named SIGNAL NAME FILE WORD: ends processes of a name whose /proc/PID/FILE (cmdline or environ) holds a word that
# is ours alone, and what they started: sshd's sessions do not name their configuration. It waits until they are gone, and
# kills what does not go. A pid file is not enough: a daemon that has just been started may not have written it yet.
# Source: proc_pid_stat(5).
end_named() {
  signal=$1 name=$2 file=$3 word=$4
  found='' parents=''
  for entry in /proc/[0-9]*; do
    line=
    { read -r line < "$entry/stat"; } 2>/dev/null || continue
    process=${entry#/proc/}
    rest=${line##*") "}
    rest=${rest#* }
    parents="$parents $process:${rest%% *}"
    case $line in "$process ($name) "*) ;; *) continue ;; esac
    if grep -q -F -e "$word" "$entry/$file" 2>/dev/null; then found="$found $process"; fi
  done
  for _ in 1 2 3; do
    for pair in $parents; do
      case " $found " in *" ${pair%:*} "*) continue ;; esac
      case " $found " in *" ${pair#*:} "*) found="$found ${pair%:*}" ;; esac
    done
  done
  # shellcheck disable=SC2086 # one number a word
  end_processes "$signal" 60 $found || { echo "$name does not end" >&2; exit 1; }
}
