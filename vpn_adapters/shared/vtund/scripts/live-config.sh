# Puts the password into vtund's configuration, which has no way to include a file.
# $1 the configuration without it, $2 the password's line, $3 the configuration that is made of both.

umask 077
[ -s "$2" ] || { echo "there is no password" >&2; exit 1; }
sed "/^  # password\$/r $2" "$1" > "$3" || exit 1
