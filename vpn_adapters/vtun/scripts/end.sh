# Ends vtund. Arguments: SIGNAL TITLE (of the process that listens) SESSION CONFIGURATION [FILE to remove]...; a space follows
# SESSION in titles, so that it is not the beginning of another one.
# It writes titles over its command line and its environment. The process that listens goes first, for the peer calls again;
# one that has just been started has no title yet.

# @include pid-file.sh
# @include ../../shared/scripts/end-named.sh

signalled=$1
end_named "$signalled" vtund cmdline "$2"
end_named "$signalled" vtund cmdline "$3 "
end_named "$signalled" vtund cmdline "$4"
restore_pid_file "$4"
shift 4
[ "$#" -eq 0 ] || rm -f "$@"
