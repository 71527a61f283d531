# hold FOLDER FILE: makes the folder, sets key to the beginning of the names for a setting, and waits for its lock, which
# goes with this process.
hold() {
  [ -d "$1" ] || mkdir -m 700 "$1" 2>/dev/null || [ -d "$1" ]
  key=$1/$(printf '%s' "$2" | tr / _)
  exec 9> "$key.lock"
  if command -v flock >/dev/null 2>&1; then flock -w 20 9; fi
}
