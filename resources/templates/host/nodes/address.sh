# take_address INTERFACE ADDRESS NOTES: makes the folder NOTES, and adds an address with prefix length that is not
# there yet.
take_address() {
  # Before any note: the undo removes what is noted, and this would not be ours.
  if ip -o addr show | grep -qF " inet ${2%/*}/"; then echo "The address ${2%/*} is already there." >&2; exit 1; fi
  [ -d "${3%/*}" ] || mkdir -m 700 "${3%/*}" 2>/dev/null || [ -d "${3%/*}" ]
  mkdir -m 700 "$3"
  printf '%s %s\n' "$1" "$2" > "$3/address"
  ip addr add "$2" dev "$1"
}
