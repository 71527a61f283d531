# The same as list.sh for files whose paths are known.
for file in "$@"; do
    [ -f "$file" ] || continue
    echo "$file"
    LC_ALL=C ls -ldL "$file"
done
