# Defines `count_fragments`, which sets `fragments`; it starts no program, which is what makes it cheap.
# Source: RFC 2011, ipFragCreates; Linux net/ipv4/proc.c prints a line of names and a line of numbers, those of IP
# first.

column='' number=0
if read -r names </proc/net/snmp; then
    for name in $names; do
        number=$((number + 1))
        [ "$name" = FragCreates ] && column=$number
    done
fi
count_fragments() {
    fragments=-
    [ -n "$column" ] || return 0
    { read -r names; read -r values; } </proc/net/snmp
    set -- $values
    shift $((column - 1))
    fragments=$1
}
