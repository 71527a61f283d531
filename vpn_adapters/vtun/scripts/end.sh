# Ends vtund. Arguments: SIGNAL TITLE (of the process that listens) SESSION CONFIGURATION [FILE to remove]...
# It writes titles over its command line and its environment. The process that listens goes first, for the peer calls again;
# one that has just been started has no title yet.

# @include ../../shared/scripts/end-named.sh

signalled=$1
end_named "$signalled" vtund cmdline "$2"
end_named "$signalled" vtund cmdline "$3"
end_named "$signalled" vtund cmdline "$4"
shift 4
[ "$#" -eq 0 ] || rm -f "$@"
