# Adds rules of a host's firewall for the bridge of a LAN port, removes and checks them. Needs awk.
# Arguments: ACTION (`open`, `close` or `check`) MARK (start of the comments) BRIDGE PORT RULES.
# Source: nft(8) of nftables 0.9.8 and 1.0.6, iptables-restore(8) 1.8.9, firewall-cmd(1).
#
# RULES has a line for each, with kind, program, place, number among equal ones, original and copy between tabs. Only
# `close` removes copies: an original that is listed otherwise than before is no reason to open what was closed. `nft`
# gets all changes in one go, iptables all of a table. Of the kind `known` are the port's other rules when the deployment
# was planned, and of the kind `watch` the programs whose list is compared with them: a rule for the port that is in
# neither is reported.
#
# The supervisor names its folder in TUNNELMARK_NOTES. There a copy that cannot be added is no failure, which would keep
# the tunnel down, but a note in the file `rules`; it is tried again once a minute, or when the rules change.

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" LC_ALL=C
export PATH LC_ALL
action=$1 mark=$2 bridge=$3 port=$4 rules=$5 notes=$TUNNELMARK_NOTES
# @include ../firewall/has.sh
tab=$(printf '\t')
# names KIND: whether there are rules of it.
names() { case "$nl$rules" in *"$nl$1$tab"*) return 0 ;; *) return 1 ;; esac; }
nl='
'
# What both programs of awk begin with: the rules that are to be there, by number.
read_rules='
BEGIN {
    mark = ENVIRON["mark"]; wanted = ENVIRON["wanted"]; own = ENVIRON["program"]; port = ENVIRON["port"]
    count = split(ENVIRON["rules"], line, "\n")
    for (n = 1; n <= count; n++) {
        split(line[n], part, "\t")
        kind[n] = part[2] == own ? part[1] : ""; place[n] = part[3]; nth[n] = part[4]; original[n] = part[5]
        copy[n] = part[6]
        if (kind[n] == "watch") is_watched = 1
        else if (kind[n] != "") is_known[place[n], original[n]] = 1
    }
}
# Whether a rule was not there when the deployment was planned. What depends on the clock is listed otherwise in summer.
function is_new(where, text) {
    return is_watched && !((where, text) in is_known) && !index(text, "comment \"tunnelmark ") && text !~ /meta hour /
}
# The number that follows our mark in a text; 0 for none.
function number_in(text,    at, rest) {
    at = index(text, mark)
    if (!at) return 0
    rest = substr(text, at + length(mark))
    return rest ~ /^[0-9]+"/ ? rest + 0 : 0
}
# Rules for the port that were made or changed since, and copies whose rule is not there as it was.
function print_counts() { if (wanted == "open" && others + kept) print "# " others + 0 " " kept + 0 }
'
# nft_list: prints all rules without elements of sets, which may be very many; then, below a heading, the sets that are
# asked for, and the chains whose originals have elements, which some versions of nft leave out, too.
apart=$(printf '%s\n' "$rules" | awk -F '\t' '
    $2 != "nft" || seen[$3] { next }
    $1 == "element" { print "set " $3; seen[$3] = 1 }
    ($1 == "rule" || $1 == "known") && $5 ~ /[{]/ { print "chain " $3; seen[$3] = 1 }')
nft_list() {
    nft -s -a -t list ruleset 2>/dev/null || return 1
    echo "#apart"
    printf '%s\n' "$apart" | while read -r word place; do
        # shellcheck disable=SC2086 # words
        case $word in
            chain) nft -s -a list chain $place 2>/dev/null ;;
            set) nft -s list set $place 2>/dev/null || nft -s list map $place 2>/dev/null ;;
        esac
    done
    return 0
}
# nft_changes: prints what is to be done for nft. Fails where the rules cannot be listed.
nft_changes() {
    listed=$(nft_list) || return 1
    printf '%s\n' "$listed" | mark=$mark rules=$rules wanted=$1 program=nft apart=$apart port=$port awk "$read_rules"'
    BEGIN { split(ENVIRON["apart"], line, "\n"); for (n in line) is_apart[line[n]] = 1 }
    /^#apart/ { is_second = 1; next }
    /^table / {
        table = $2 " " $3; block = ""
        # Those families go on to see the port.
        is_looked_at = $2 !~ /^(netdev|bridge)$/ && $3 !~ /^(tunnelmark_|firewalld$)/
        next
    }
    /^\t[a-z]+ .*[{]( # handle [0-9]+)?$/ {
        is_chain = $1 == "chain"; block = table " " $2
        if (is_second != ((is_chain ? "chain " : "set ") block in is_apart)) block = ""
        next
    }
    /^\t}/ { block = ""; next }
    block == "" { next }
    !is_chain {
        # Lines end between elements.
        text = $0
        if (sub(/^[\t ]+elements = [{] */, "", text)) is_inside[block] = 1
        if (!is_inside[block]) next
        sub(/^[\t ]+/, "", text); sub(/ *[}]?$/, "", text); sub(/,$/, "", text)
        text = ", " text ","
        for (n = 1; n <= count; n++) {
            if (kind[n] != "element" || place[n] != block) continue
            if (index(text, ", " original[n] ",")) has_original[n] = 1
            if (index(text, ", " copy[n] ",")) has_copy[n] = 1
        }
        next
    }
    {
        sub(/^[\t ]+/, "")
        if (!match($0, / # handle [0-9]+$/)) next
        handle = substr($0, RSTART + 10); text = substr($0, 1, RSTART - 1)
        if (n = number_in(text)) { ours[++found] = block " handle " handle; there[n] = 1; next }
        seen = ++times[block, text]
        handle_of[block, text, seen] = handle
        if (is_looked_at && text ~ /[io]if(name)? / && index(text, "\"" port "\"") && is_new(block, text)) others++
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
                is_there = (place[n], original[n], nth[n]) in handle_of
                has_it = there[n]
            } else if (kind[n] == "element") {
                is_there = has_original[n]
                has_it = has_copy[n]
            } else continue
            if (!is_there) { gone++; kept += has_it ? 1 : 0 }
        }
        print_counts()
        for (n = 1; n <= count; n++) {
            if (kind[n] == "rule" && wanted == "open" && !there[n] && ((place[n], original[n], nth[n]) in handle_of))
                print "add rule " place[n] " handle " handle_of[place[n], original[n], nth[n]] " " copy[n]
            else if (kind[n] == "element" && wanted == "open" && has_original[n] && !has_copy[n])
                print "add element " place[n] " { " copy[n] " }"
            else if (kind[n] == "element" && wanted == "close" && has_copy[n])
                print "delete element " place[n] " { " bare(copy[n]) " }"
        }
        if (wanted == "close") for (n = 1; n <= found; n++) print "delete rule " ours[n]
    }'
}
# line_changes: the same for $program-restore.
line_changes() {
    saved=$("$program-save" 2>/dev/null) || return 1
    printf '%s\n' "$saved" | mark=$mark rules=$rules wanted=$1 program=$program port=$port awk "$read_rules"'
    /^\*/ { table = substr($0, 2); tables[++many] = table; next }
    !/^-A / { next }
    {
        where = table " " $2
        at = ++length_of[where]
        if (n = number_in($0)) {
            there[n] = 1; ours[++found] = "-D" substr($0, 3); table_of[found] = table; next
        }
        seen = ++times[where, $0]
        at_of[where, $0, seen] = at
        is_named = index($0, " -i " port " ") || index($0, " -o " port " ")
        if (table == "filter" && is_named && is_new(where, $0)) others++
    }
    END {
        for (n = 1; n <= count; n++)
            if (kind[n] == "line" && !((place[n], original[n], nth[n]) in at_of)) { gone++; kept += there[n] ? 1 : 0 }
        print_counts()
        for (n = 1; n <= count; n++) {
            if (kind[n] != "line" || wanted != "open" || there[n]) continue
            if (!((place[n], original[n], nth[n]) in at_of)) continue
            at = at_of[place[n], original[n], nth[n]]; behind = at + 1
            for (m = 1; m <= added; m++) if (added_to[m] == place[n] && added_at[m] <= at) behind++
            added_to[++added] = place[n]; added_at[added] = at
            split(place[n], word, " ")
            text[word[1]] = text[word[1]] "-I " word[2] " " behind " " copy[n] "\n"
        }
        if (wanted == "close")
            for (n = 1; n <= found; n++) text[table_of[n]] = text[table_of[n]] ours[n] "\n"
        for (n = 1; n <= many; n++)
            if (text[tables[n]] != "") printf "*%s\n%sCOMMIT\n", tables[n], text[tables[n]]
    }'
}
# ask FUNCTION WANTED: sets changes to what it prints, and counts what it tells.
ask() {
    changes=$("$1" "$2") || return 1
    case $changes in '# '*) ;; *) return 0 ;; esac
    counts=${changes%%"$nl"*}
    changes=${changes#"$counts"} changes=${changes#"$nl"}
    counts=${counts#"# "}
    uncovered=$((uncovered + ${counts% *}))
    kept=$((kept + ${counts#* }))
}
# change PROGRAM FUNCTION: runs a program with what a function prints, until it prints nothing; rules may change at the
# same moment.
change() {
    for _ in 1 2 3; do
        ask "$2" "$action" || return 1
        [ -n "$changes" ] || return 0
        # shellcheck disable=SC2086 # words
        if printf '%s\n' "$changes" | $1; then
            did="$did$nl$changes"
            [ "$action" != open ] || return 0
        fi
    done
    ask "$2" "$action" && [ -z "$changes" ]
}
# settle PROGRAM FUNCTION
settle() {
    if [ "$action" != check ]; then change "$1" "$2" || failures=1
    elif ! ask "$2" open; then pending="$pending${nl}cannot list with $1"
    elif [ -n "$changes" ]; then pending="$pending$nl$changes"; fi
}
# watches PROGRAM: whether its rules for the port are compared with those that were known.
watches() { case "$nl$rules" in *"${nl}watch$tab$1$tab"*) return 0 ;; *) return 1 ;; esac; }
# compare FUNCTION: counts rules that were not known; only for the supervisor, which notes them.
compare() { if [ -n "$notes" ]; then ask "$1" open || :; fi; }
lacks() { case $action in open) failures=1 ;; check) pending="$pending${nl}no $1" ;; esac; }
zone() {
    # A rule for the bridge shows that it is in a zone: firewalld itself is slow to ask.
    if [ "$action" = check ]; then
        if has nft && listed=$(nft -t list table inet firewalld 2>/dev/null); then
            case $listed in *"\"$bridge\""*) ;; *) pending="$pending${nl}zone $1" ;; esac
        fi
        return 0
    fi
    # Without firewalld its zones are gone.
    if [ "$(firewall-cmd --state 2>&1)" != running ]; then return 0; fi
    found=$(firewall-cmd --get-zone-of-interface="$bridge" 2>/dev/null)
    case $action in
        open)
            [ "$found" != "$1" ] || return 0
            firewall-cmd -q --zone="$1" --change-interface="$bridge" || return 1
            did="$did${nl}add zone $1"
            ;;
        close) [ "$found" != "$1" ] || firewall-cmd -q --zone="$1" --remove-interface="$bridge" ;;
    esac
}
# all: does it, or reports what is to be done.
all() {
    failures=0 pending='' uncovered=0 kept=0
    if names rule || names element; then
        if has nft; then settle "nft -f -" nft_changes; else lacks nft; fi
    elif watches nft && has nft && has_nf_tables; then
        compare nft_changes
    fi
    for program in iptables iptables-nft iptables-legacy ip6tables ip6tables-nft ip6tables-legacy; do
        case $rules in
            *"line$tab$program$tab"*)
                if has "$program-save"; then settle "$program-restore -n -w 5" line_changes; else lacks "$program"; fi
                ;;
            *) if watches "$program" && has "$program-save"; then compare line_changes; fi ;;
        esac
    done
    if names zone; then
        name=${rules#*"zone${tab}firewall-cmd$tab"}
        zone "${name%%"$tab"*}" || failures=1
    fi
}
# strays: prints the addresses that the port has although it is joined: its network's own program came later, or again.
strays() {
    [ -n "$notes" ] && [ -e "/sys/class/net/$bridge/brif/$port" ] || return 0
    ip -o -4 addr show dev "$port" 2>/dev/null | sed -n 's/.* inet \([0-9./]*\).*/\1/p' | tr '\n' ' '
}
# note: writes down for the supervisor and `status` what is not as it was; a question changes nothing.
note() {
    text=
    beside=$(strays)
    if [ -n "$beside" ]; then text="; addresses of $port are not on $bridge: ${beside% }"; fi
    if [ -n "$pending" ]; then text="$text; rules for $port could not be added for $bridge"; fi
    if [ "$uncovered" -gt 0 ]; then text="$text; rules for $port changed: $uncovered not applied to $bridge"; fi
    if [ "$kept" -gt 0 ]; then text="$text; $kept still applied to $bridge whose rule for $port changed or is gone"; fi
    if [ -z "$notes" ] || [ -n "$TUNNELMARK_ASKS" ]; then return; fi
    before=
    read -r before 2>/dev/null <"$notes/rules"
    if [ -z "$text" ]; then if [ -n "$before" ]; then rm -f "$notes/rules"; fi
    elif [ "${text#; }; deploy again" != "$before" ]; then printf '%s\n' "${text#; }; deploy again" >"$notes/rules"; fi
}
now() { read -r now _ </proc/uptime; now=${now%.*}; }
# is_known: whether just this could not be added, less than a minute ago.
is_known() {
    [ -n "$notes" ] && [ -f "$notes/rules-left" ] || return 1
    left=$(cat "$notes/rules-left")
    now
    [ "$nl${left#*"$nl"}" = "$pending" ] && [ "$((now - ${left%%"$nl"*}))" -lt 60 ]
}
# has_rested: whether nothing is added, and the rules were compared less than 20 s ago: listing them is slow.
has_rested() {
    [ "$action" = check ] && [ -n "$notes" ] || return 1
    if names rule || names element || names line || names zone; then return 1; fi
    now
    seen=
    if read -r seen 2>/dev/null <"$notes/rules-seen" && [ "$((now - seen))" -lt 20 ]; then return 0; fi
    echo "$now" >"$notes/rules-seen"
    return 1
}
did=
if has_rested; then exit 0; fi
all
case $action in
    check)
        note
        [ -z "$pending" ] || is_known
        ;;
    close)
        if { names rule || names element; } && has nft; then
            listed=$(nft_list) || exit 1
            case $listed in *"\"$mark"*) echo "copies are left in the firewall" >&2; failures=1 ;; esac
        fi
        [ "$failures" -eq 0 ]
        ;;
    open)
        [ -n "$notes" ] || exit "$failures"
        added=$(printf '%s\n' "$did" | grep -cE '^(add|-I) ')
        action=check
        all
        note
        if [ "$added" -gt 0 ]; then echo "did: $added added"; else echo "did:"; fi
        rm -f "$notes/rules-left"
        if [ -n "$pending" ]; then
            now
            printf '%s%s\n' "$now" "$pending" >"$notes/rules-left"
        fi
        exit 0
        ;;
esac
