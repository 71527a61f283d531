# Makes the secret of one host, as a line of fastd's configuration. $1 file.
# The shell's own printf writes it: it is in no process's arguments.

umask 077
secret=$(fastd --machine-readable --generate-key 2> "$1.log") || { cat "$1.log" >&2; exit 1; }
rm -f "$1.log"
[ "${#secret}" -eq 64 ] || { echo "fastd made no key" >&2; exit 1; }
printf 'secret "%s";\n' "$secret" > "$1"
