# Loads the connection. $1: the tunnel's own folder.
# swanctl ignores what it does not understand, keeps what was loaded before, and says so in its exit status only.

# @include tools.sh
if ! ask --load-conns --file "$folder/swanctl.conf" > "$folder/swanctl.log" 2>&1; then
  cat "$folder/swanctl.log" >&2
  exit 1
fi
