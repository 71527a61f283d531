# How root's rights are got.
# Prints one word, and for `none` the reason. `sudo -n` says on stderr why it would not: only a wish for a password
# leaves a way. Source: sudo 1.9.13 to 1.9.16 and OpenDoas 6.8 by trial; messages in the C locale.

[ "$(id -u)" = 0 ] && { echo root; exit 0; }
why='there is neither sudo nor doas'
if command -v sudo >/dev/null 2>&1; then
  answer=$(sudo -n true 2>&1 </dev/null) && { echo sudo; exit 0; }
  why=$answer
  case $answer in *password*|*terminal*) can=yes ;; esac
fi
if command -v doas >/dev/null 2>&1; then
  answer=$(doas -n true 2>&1 </dev/null) && { echo doas; exit 0; }
  [ -n "$can" ] || why="$why; $answer"
fi
[ -n "$can" ] && { echo sudo-password; exit 0; }
echo none
echo "$why"
