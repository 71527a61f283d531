# Functions that write files; what is written follows, see upload.py. @REPORT@ begins what they report.

umask 077
case $(type printf) in *builtin*) ;; *) echo '@REPORT@ 0 noprintf' >&2; exit 3 ;; esac
fail() { echo "@REPORT@ $*" >&2; exit 3; }
check() {
  [ -d "$2" ] || fail "$1" nodir
  [ ! -d "$3" ] || fail "$1" isdir
}
put() {
  "c$1" >"$2" || { rm -f "$2"; fail "$1" write "$( ("c$1" | cat >"$2") 2>&1 )"; }
}
measure() {
  want=$1; shift
  got=$(cat "$@" | wc -c) || fail 0 write
  [ "$got" -eq "$want" ] || fail 0 write "only $got of $want bytes arrived on the disk"
}
