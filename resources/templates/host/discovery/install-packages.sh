# Runs a package manager so that nothing it brings starts by itself. Arguments: PROGRAM ARGUMENT...
# Debian asks /usr/sbin/policy-rc.d before it starts a service; 101 means no. It is put in place for the installation
# only; one that was there is kept beside it and restored, also after an installation that broke off half-way. Ours says
# no only to what carries this installation's name in its environment, which apt and dpkg hand on to the scripts of
# packages: where it is left behind by a loss of power, everything else goes on being started as before.
# What the packages enabled for the next boot is disabled and stopped: found by comparing before and after.
# The package manager goes on to its end although no reader may be left: one that dies with a broken pipe
# leaves packages half configured.
# Source: invoke-rc.d(8), /usr/share/doc/init-system-helpers/README.policy-rc.d; systemctl(1); OpenWrt's
# lib/functions.sh, default_postinst, which enables and starts what a package brings in /etc/init.d. dpkg 1.21 was seen
# to hand on the environment.

trap '' HUP PIPE
umask 022
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"; export PATH
policy=/usr/sbin/policy-rc.d
kept=$policy.kept-by-tunnelmark
work=$(mktemp -d) || exit 1
report() { printf '%s\n' "$*" 2>/dev/null || :; }
is_ours() { [ -f "$policy" ] && grep -q 'put here by Tunnelmark' "$policy" 2>/dev/null; }
restore() {
  if is_ours; then rm -f "$policy"; fi
  if [ -e "$kept" ] && [ ! -e "$policy" ]; then mv "$kept" "$policy"; fi
}
enabled() {
  if [ -d /run/systemd/system ]; then
    systemctl list-unit-files --no-legend --no-pager --state=enabled --type=service,socket,timer,path 2>/dev/null |
      while read -r unit _; do echo "$unit"; done
  elif [ -d /etc/rc.d ] && [ -x /sbin/procd ]; then
    for f in /etc/rc.d/S*; do [ -e "$f" ] || continue; f=${f##*/S}; echo "${f#[0-9][0-9]}"; done
  fi | sort -u
}
restore
if command -v dpkg >/dev/null 2>&1; then
  if [ -e "$policy" ]; then mv "$policy" "$kept" || exit 1; fi
  printf '%s\n' '#!/bin/sh' '# put here by Tunnelmark while it installs packages; refuses only what these start' \
    "[ \"\$TUNNELMARK_INSTALLS\" != '$work' ] || exit 101" \
    "[ ! -x $kept ] || exec $kept \"\$@\"" 'exit 0' >"$policy" &&
    chmod 755 "$policy" || { restore; exit 1; }
fi
trap 'restore; rm -rf "$work"' EXIT
trap 'exit 143' TERM INT
enabled >"$work/enabled"
{ TUNNELMARK_INSTALLS=$work "$@" </dev/null; echo $? >"$work/status"; } 2>&1 |
  while IFS= read -r line; do report "$line"; done
status=$(cat "$work/status" 2>/dev/null || echo 1)
restore
enabled | grep -vxF -f "$work/enabled" >"$work/new"
if [ -d /run/systemd/system ]; then
  while read -r unit; do
    systemctl disable "$unit" >/dev/null 2>&1; systemctl stop "$unit" >/dev/null 2>&1; report "tunnelmark-stopped: $unit"
  done <"$work/new"
else
  while read -r name; do
    "/etc/init.d/$name" disable >/dev/null 2>&1; "/etc/init.d/$name" stop >/dev/null 2>&1
    report "tunnelmark-stopped: $name"
  done <"$work/new"
fi
exit "$status"
