# Ends a daemon. Arguments: SIGNAL NAME WORD (of its command line) [FILE to remove]...

# @include end-named.sh

end_named "$1" "$2" cmdline "$3"
shift 3
[ "$#" -eq 0 ] || rm -f "$@"
