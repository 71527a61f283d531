# Opens a file without a name: what is written to descriptor 4 is printed by `print_kept`, which empties it. A file needs
# no reader meanwhile, as a channel does, and is gone with the script. `leave` ends the script where there is no place.

for folder in /run/tunnelmark /dev/shm /tmp; do
    file=$(mktemp "$folder/probe.XXXXXX" 2>/dev/null) && break
    file=
done
if [ -z "$file" ]; then
    echo "#nowhere"
    leave 1
fi
exec 4>>"$file"
rm -f "$file"

print_kept() {
    cat "/proc/$$/fd/4"
    : >"/proc/$$/fd/4"
}
