# Starts a proxy that splits TCP connections, and sends connections to it. Arguments: NOTES RUN_DIR PORT MARK TABLE CONGESTION
# CHAIN RULE...; RULE are the words of nftables that match the connections, CHAIN is `prerouting` or `output`, CONGESTION is
# the congestion control of the proxy's sockets, empty for that of the host.

set -e
notes=$1 run_dir=$2 port=$3 mark=$4 table=$5 congestion=$6 chain=$7
shift 7
perl -MSocket -e 'exit 0' 2>/dev/null || { echo "perl is missing: install perl-base." >&2; exit 1; }
if nft list table ip "$table" >/dev/null 2>&1; then echo "A firewall table $table is already there." >&2; exit 1; fi
[ -d "${notes%/*}" ] || mkdir -m 700 "${notes%/*}" 2>/dev/null || [ -d "${notes%/*}" ]
mkdir -m 700 "$notes"
perl "$run_dir/proxy.pl" "$port" "$run_dir/proxy.log" "$mark" "$notes/pid" "$congestion"
nft -f - << END
table ip $table {
  chain split {
    type nat hook $chain priority -100; policy accept;
    $* meta mark != $mark redirect to :$port
  }
}
END
