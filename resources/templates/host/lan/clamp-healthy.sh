# Succeeds if the table of clamp.sh is there with the sizes that are wanted, or cannot be made on this host any more: a
# tunnel does not wait for it. Arguments as for clamp.sh. Changes nothing.

# @include clamp-sizes.sh
if is_clamped "$TUNNELMARK_NOTES" "$@"; then exit 0; fi
command -v nft > /dev/null || exit 0
exec > /dev/null 2>&1
# What follows ends with 0 where the table could be made: then it is missing.
trap 'if [ "$?" -eq 0 ]; then exit 1; else exit 0; fi' EXIT
set -- "$@" -c

# @include clamp-make.sh
