# Functions that run the commands of a batch; these follow, see batch.py. @MARKER@ begins what ends a command's output,
# @AFTER_FAILURE@ is done after one that failed.

end() { s=$?; echo "@MARKER@ $s"; echo "@MARKER@ $s" >&2; [ "$s" -eq 0 ] || @AFTER_FAILURE@; }
# The command is a function's arguments: words there are never keywords, aliases or assignments.
run() { ( "$@" ) </dev/null; end; }
# Its arguments are the script, its name and its parameters, as after `sh -c`.
script() { ( text=$1; shift 2; unset -f end run script; eval "unset s text; $text" ) </dev/null; end; }
