# What the kernel wrote about crashes lately.
# $1 seconds. Source: dmesg(1), whose lines begin with seconds since the host was started; proc_uptime(5).

read -r up _ </proc/uptime
dmesg 2>/dev/null | tail -n 200 | awk -v since="$up" -v last="$1" '
    { line = $0; sub(/^\[ */, "", line); if (line + 0 >= since - last) print }
' | grep -E 'segfault|general protection|traps:|Out of memory|trap invalid' | tail -n 3
:
