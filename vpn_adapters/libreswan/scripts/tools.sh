# ask: Libreswan's whack for our own pluto. $1: the tunnel's own folder. Sets folder and programs.

folder=$1 programs=
for parent in /usr/libexec/ipsec /usr/lib/ipsec /usr/lib64/ipsec /usr/local/libexec/ipsec; do
  if [ -x "$parent/pluto" ]; then programs=$parent && break; fi
done
ask() {
  "$programs/whack" --ctlsocket "$folder/pluto/pluto.ctl" "$@"
}
