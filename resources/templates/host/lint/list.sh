# Configuration files: one line per file with its path, one with what ls says of it. The arguments are patterns, which the
# host's shell expands.
for pattern in "$@"; do
    # shellcheck disable=SC2086 # expanded here
    for file in $pattern; do
        [ -f "$file" ] || continue
        echo "$file"
        LC_ALL=C ls -ldL "$file"
    done
done
