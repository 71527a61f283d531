# stop_charon SIGNAL: by its environment, which holds the way to our configuration: charon-systemd has no arguments.
# @include ../../scripts/end-processes.sh
stop_charon() {
  end_processes "$1" charon-systemd environ "STRONGSWAN_CONF=$folder/strongswan.conf"
}
