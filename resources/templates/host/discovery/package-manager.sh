# The package managers that are there.
# @include path.sh
for manager in apt-get dnf opkg pacman; do command -v "$manager" >/dev/null 2>&1 && echo "$manager"; done
