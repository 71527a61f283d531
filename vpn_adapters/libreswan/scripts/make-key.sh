# Makes the key of one host in a database of the tunnel's own. $1: the tunnel's own folder.
# This is the first thing that is done on a host: where Libreswan cannot be started, not even a key is made.

# @include tools.sh
# @include need-empty.sh
umask 077
need_empty
rm -rf "$folder/nss" && mkdir -p "$folder/nss" || exit 1
made=$(
  certutil -N -d "sql:$folder/nss" --empty-password 2>&1 &&
    "$programs/newhostkey" --nssdir "$folder/nss" --keytype ecdsa --curve secp384r1 2>&1
) || { echo "$made" >&2; exit 1; }
id=$("$programs/showhostkey" --nssdir "$folder/nss" --list 2> /dev/null | sed -n 's/.*ckaid: *\([0-9a-f]*\).*/\1/p' | head -n 1)
"$programs/showhostkey" --nssdir "$folder/nss" --ckaid "$id" --pem > "$folder/own.pem"
