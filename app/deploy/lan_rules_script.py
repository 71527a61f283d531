"""Scripts that read a host's firewall for a LAN port, and that add rules for its bridge, remove and check them.

They need POSIX sh, or BusyBox, and awk. Source: nft(8) of nftables 0.9.8 and 1.0.6, iptables-restore(8) 1.8.9,
firewall-cmd(1).
"""

from __future__ import annotations

from app.discovery.firewall.read import HAS_NF_TABLES

# $1 first word of headings, $2 the port. Nothing is changed, and no kernel module is loaded.
READ_SCRIPT = (
    HAS_NF_TABLES
    + r"""
heading() { printf '\n%s %s\n' "$mark" "$1"; }
mark=$1 port=$2
if has firewall-cmd && [ "$(firewall-cmd --state 2>&1)" = running ]; then
    heading firewalld
    if zone=$(firewall-cmd --get-zone-of-interface="$port" 2>/dev/null); then
        printf '%s\n' "$zone"
        firewall-cmd --zone="$zone" --list-all 2>/dev/null
        firewall-cmd --list-all-policies 2>/dev/null
    fi
fi
for family in ip ip6; do
    number=
    read -r number 2>/dev/null </proc/sys/net/bridge/bridge-nf-call-${family}tables
    heading "calls $family ${number:-0}"
    program=$family${old#ip}
    if { read -r _ </proc/net/${family}_tables_names; } 2>/dev/null; then
        if has "$program-save"; then heading "save legacy $program"; "$program-save" 2>/dev/null || heading failed
        else heading failed; fi
    fi
done
if has_nf_tables; then
    if has nft; then
        tables=$(nft list tables 2>/dev/null)
        for family in ip ip6; do
            program=$family${new#ip}
            has "$program-save" || continue
            heading "save nft $program"
            for table in raw mangle nat filter security; do
                printf '%s\n' "$tables" | grep -qx "table $family $table" && "$program-save" -t "$table" 2>/dev/null
            done
        done
        heading nft
        nft -s list ruleset 2>/dev/null || heading failed
    elif has "$new-save"; then
        for family in ip ip6; do
            program=$family${new#ip}
            heading "save nft $program"
            "$program-save" 2>/dev/null || heading failed
        done
    elif [ -d /sys/module/nf_tables ]; then
        heading failed
    fi
fi
heading end
exit 0
"""
)

# $1 `open`, `close` or `check`, $2 start of the comments, $3 the bridge, $4 the rules: a line for each, with kind,
# program, place, number among equal ones, original and copy between tabs. A copy is there as long as its original is:
# what the user removes is removed for the bridge, too. `nft` gets all changes in one go, iptables all of a table.
MOVE_SCRIPT = r"""
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" LC_ALL=C
export PATH LC_ALL
action=$1 mark=$2 bridge=$3 rules=$4
has() { command -v "$1" >/dev/null 2>&1; }
tab=$(printf '\t')
# names KIND: whether there are rules of it.
names() { case "$nl$rules" in *"$nl$1$tab"*) return 0 ;; *) return 1 ;; esac; }
nl='
'
# What both programs of awk begin with: the rules that are to be there, by number.
read_rules='
BEGIN {
    mark = ENVIRON["mark"]; wanted = ENVIRON["wanted"]; own = ENVIRON["program"]
    count = split(ENVIRON["rules"], line, "\n")
    for (n = 1; n <= count; n++) {
        split(line[n], part, "\t")
        kind[n] = part[2] == own ? part[1] : ""; place[n] = part[3]; nth[n] = part[4]; original[n] = part[5]
        copy[n] = part[6]
    }
}
# The number that follows our mark in a text; 0 for none.
function number_in(text,    at, rest) {
    at = index(text, mark)
    if (!at) return 0
    rest = substr(text, at + length(mark))
    return rest ~ /^[0-9]+"/ ? rest + 0 : 0
}
'
# nft_changes: prints what is to be done for nft. Fails where the rules cannot be listed.
nft_changes() {
    # The elements of sets, which may be very many, are listed only where one is asked for.
    terse=-t
    case $rules in *'{'*) terse= ;; esac
    if names element; then terse=; fi
    # shellcheck disable=SC2086 # empty or one word
    listed=$(nft -s -a $terse list ruleset 2>/dev/null) || return 1
    printf '%s\n' "$listed" | mark=$mark rules=$rules wanted=$1 program=nft awk "$read_rules"'
    /^table / { table = $2 " " $3; block = ""; next }
    /^\t[a-z]+ .*[{]( # handle [0-9]+)?$/ { block = table " " $2; is_chain = $1 == "chain"; elements = ""; next }
    /^\t}/ { if (!is_chain) look_at_set(); block = ""; next }
    block == "" { next }
    !is_chain { sub(/^[\t ]+/, ""); elements = elements " " $0; next }
    {
        sub(/^[\t ]+/, "")
        if (!match($0, / # handle [0-9]+$/)) next
        handle = substr($0, RSTART + 10); text = substr($0, 1, RSTART - 1)
        if (n = number_in(text)) { ours[++found] = block " handle " handle; ours_of[found] = n; there[n] = 1; next }
        seen = ++times[block, text]
        handle_of[block, text, seen] = handle
    }
    # The elements, each between commas.
    function look_at_set(    text) {
        text = elements
        if (!sub(/^.* elements = [{] */, "", text)) return
        sub(/ *}[^}]*$/, "", text)
        listed_set[block] = ", " text ","
    }
    function bare(text) { return substr(text, 1, index(text, " comment \"" mark) - 1) data_of(text) }
    function data_of(text,    at) {
        text = substr(text, index(text, mark) + length(mark))
        at = index(text, "\"")
        return substr(text, at + 1)
    }
    END {
        for (n = 1; n <= count; n++) {
            if (kind[n] == "rule") {
                is_open = wanted == "open" && ((place[n], original[n], nth[n]) in handle_of)
                if (is_open && !there[n])
                    print "add rule " place[n] " handle " handle_of[place[n], original[n], nth[n]] " " copy[n]
                keep[n] = is_open
            } else if (kind[n] == "element") {
                has_it = index(listed_set[place[n]], ", " copy[n] ",")
                is_open = wanted == "open" && index(listed_set[place[n]], ", " original[n] ",")
                if (is_open && !has_it) print "add element " place[n] " { " copy[n] " }"
                if (!is_open && has_it) print "delete element " place[n] " { " bare(copy[n]) " }"
            }
        }
        for (n = 1; n <= found; n++) if (!keep[ours_of[n]]) print "delete rule " ours[n]
    }'
}
# line_changes: the same for $program-restore.
line_changes() {
    saved=$("$program-save" 2>/dev/null) || return 1
    printf '%s\n' "$saved" | mark=$mark rules=$rules wanted=$1 program=$program awk "$read_rules"'
    /^\*/ { table = substr($0, 2); tables[++many] = table; next }
    !/^-A / { next }
    {
        where = table " " $2
        at = ++length_of[where]
        if (n = number_in($0)) {
            there[n] = 1; ours[++found] = "-D" substr($0, 3); ours_of[found] = n; table_of[found] = table; next
        }
        seen = ++times[where, $0]
        at_of[where, $0, seen] = at
    }
    END {
        for (n = 1; n <= count; n++) {
            if (kind[n] != "line") continue
            is_open = wanted == "open" && ((place[n], original[n], nth[n]) in at_of)
            keep[n] = is_open
            if (!is_open || there[n]) continue
            at = at_of[place[n], original[n], nth[n]]; behind = at + 1
            for (m = 1; m <= added; m++) if (added_to[m] == place[n] && added_at[m] <= at) behind++
            added_to[++added] = place[n]; added_at[added] = at
            split(place[n], word, " ")
            text[word[1]] = text[word[1]] "-I " word[2] " " behind " " copy[n] "\n"
        }
        for (n = 1; n <= found; n++)
            if (!keep[ours_of[n]]) text[table_of[n]] = text[table_of[n]] ours[n] "\n"
        for (n = 1; n <= many; n++)
            if (text[tables[n]] != "") printf "*%s\n%sCOMMIT\n", tables[n], text[tables[n]]
    }'
}
# change PROGRAM... : runs $1 with what $2 prints, until it prints nothing; rules may change at the same moment.
change() {
    for _ in 1 2 3; do
        changes=$("$2" "$wanted") || return 1
        [ -n "$changes" ] || return 0
        # shellcheck disable=SC2086 # words
        printf '%s\n' "$changes" | $1 && [ "$wanted" = open ] && return 0
    done
    changes=$("$2" "$wanted") && [ -z "$changes" ]
}
settle() {
    if [ "$action" = check ]; then changes=$("$2" open) && [ -z "$changes" ]; else change "$1" "$2"; fi
}
zone() {
    # A rule for the bridge shows that it is in a zone: firewalld itself is slow to ask.
    if [ "$action" = check ]; then
        if has nft && listed=$(nft -t list table inet firewalld 2>/dev/null); then
            case $listed in *"\"$bridge\""*) return 0 ;; *) return 1 ;; esac
        fi
        return 0
    fi
    # Without firewalld its zones are gone.
    if [ "$(firewall-cmd --state 2>&1)" != running ]; then return 0; fi
    found=$(firewall-cmd --get-zone-of-interface="$bridge" 2>/dev/null)
    case $action in
        open) [ "$found" = "$1" ] || firewall-cmd -q --zone="$1" --change-interface="$bridge" ;;
        close) [ "$found" != "$1" ] || firewall-cmd -q --zone="$1" --remove-interface="$bridge" ;;
    esac
}
wanted=$action
failures=0
if names rule || names element; then
    if has nft; then settle "nft -f -" nft_changes || failures=1; elif [ "$action" = open ]; then failures=1; fi
fi
for program in iptables iptables-nft iptables-legacy ip6tables ip6tables-nft ip6tables-legacy; do
    case $rules in *"line$tab$program$tab"*) ;; *) continue ;; esac
    if has "$program-save"; then settle "$program-restore -n -w 5" line_changes || failures=1
    elif [ "$action" = open ]; then failures=1; fi
done
if names zone; then
    name=${rules#*"zone${tab}firewall-cmd$tab"}
    zone "${name%%"$tab"*}" || failures=1
fi
[ "$failures" -eq 0 ]
"""
