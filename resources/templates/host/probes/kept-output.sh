# Opens a file without a name: what is written to descriptor 4 is printed by `print_kept`, which empties it. A file needs
# no reader meanwhile, as a channel does, and is gone with the script. `leave` ends the script where there is no place.

# Source: POSIX, `set -C` creates with O_EXCL, so nothing that is there already is opened; `command` keeps a failed `exec`
# from ending the shell. No program is started for it but `rm`: each costs a small host 5 ms.
umask 077
set -C
for folder in /run/tunnelmark /dev/shm /tmp; do
    file=$folder/probe.$$
    command exec 4>"$file" && break
    file=
done 2>/dev/null
set +C
if [ -z "$file" ]; then
    echo "#nowhere"
    leave 1
fi
exec 4>>"/proc/$$/fd/4"
rm -f "$file"

print_kept() {
    cat "/proc/$$/fd/4"
    : >"/proc/$$/fd/4"
}
