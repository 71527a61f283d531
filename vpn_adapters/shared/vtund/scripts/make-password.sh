# Makes the password of both hosts, as a line of vtund's configuration. $1 file.

# @include ../../scripts/password.sh
printf 'password %s;\n' "$secret" > "$1"
