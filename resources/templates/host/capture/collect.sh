# Ends the captures of record.sh and prints their files.
# $1 folder, $2 the last mark, $3 the same in hexadecimal, $4 payload, $5 where to send it over the bare underlay (empty
# on the other host), $6... process ids. The last mark shows that everything before it is in the file too.

# @include ../end-processes.sh
# @include ../probes/of-name.sh
folder=$1 end=$2 digits=$3 payload=$4 underlay=$5; shift 5
[ -z "$underlay" ] || ping -n -q -A -c 2 -w 1 -s "$payload" -p "$digits" "$underlay" >/dev/null 2>&1
tries=0
while [ "$tries" -lt 12 ] && ! grep -q -a -F -e "$end" "$folder/wire-underlay.pcap"; do
    tries=$((tries + 1))
    sleep 0.1 2>/dev/null || sleep 1
done
# shellcheck disable=SC2046 # one number a word
end_processes INT 100 $(of_name tcpdump "$@")
for label in underlay other tunnel; do
    file=$folder/wire-$label.pcap
    [ -e "$file" ] || continue
    echo "#pcap $label"
    od -An -v -tx1 "$file"
    rm -f "$file"
done
