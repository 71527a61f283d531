# stop_charon SIGNAL: by its environment, which holds the way to our configuration: charon-systemd has no arguments.
# @include ../../scripts/end-named.sh
stop_charon() {
  end_named "$1" charon-systemd environ "STRONGSWAN_CONF=$folder/strongswan.conf"
}
