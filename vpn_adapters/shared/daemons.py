"""Stopping daemons that we started, and no others: shell fragments that know them by their command line.

A pid file is not enough: a daemon that has just been started may not have written it yet.
"""

from __future__ import annotations

from app.domain.adapters import shell_step_argv
from app.domain.commands import Command

# $1 signal, $2 the program's name, $3 a word of its command line that is ours alone; further ones are files to remove.
# What it started itself is ended with it: sshd's sessions do not name their configuration. Source: proc_pid_stat(5).
_END_SCRIPT = """\
signal=$1 name=$2 word=$3
shift 3
found= parents=
for folder in /proc/[0-9]*; do
  line=
  { read -r line < "$folder/stat"; } 2>/dev/null || continue
  process=${folder#/proc/}
  rest=${line##*") "}
  rest=${rest#* }
  parents="$parents $process:${rest%% *}"
  case $line in "$process ($name) "*) ;; *) continue ;; esac
  if grep -q -F -e "$word" "$folder/cmdline" 2>/dev/null; then found="$found $process"; fi
done
for depth in 1 2 3; do
  for pair in $parents; do
    case " $found " in *" ${pair%:*} "*) continue ;; esac
    case " $found " in *" ${pair#*:} "*) found="$found ${pair%:*}" ;; esac
  done
done
for process in $found; do kill "-$signal" "$process" 2>/dev/null; done
n=0
for process in $found; do
  while kill -0 "$process" 2>/dev/null; do
    state=
    { read -r state < "/proc/$process/stat"; } 2>/dev/null
    case ${state##*") "} in Z*) break ;; esac
    n=$((n + 1))
    if [ "$n" -gt 60 ]; then kill -KILL "$process" 2>/dev/null; fi
    if [ "$n" -gt 100 ]; then echo "$name does not end" >&2; exit 1; fi
    sleep 0.05 2>/dev/null || sleep 1
  done
done
[ "$#" -eq 0 ] || rm -f "$@"
"""


def stop_command(name: str, word: str, *leftovers: str) -> Command:
    """Return a command that ends a daemon and what it started, and succeeds where there is none.

    Args:
        name: The program's name as the kernel has it.
        word: A part of its command line that is ours alone, for example the path of its configuration.
        leftovers: Files that are removed then.
    """
    return Command(shell_step_argv(_END_SCRIPT, "TERM", name, word, *leftovers), timeout_s=15.0, is_root=True)


def kill_command(name: str, word: str) -> Command:
    """Return a command that kills a daemon and what it started without giving it time for anything."""
    return Command(shell_step_argv(_END_SCRIPT, "KILL", name, word), timeout_s=15.0, is_root=True)
