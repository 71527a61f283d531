# stop_pluto SIGNAL: ends our pluto and what it started, which have the way to our configuration in their command lines.
# @include ../../shared/scripts/end-named.sh
stop_pluto() {
  end_named "$1" pluto cmdline "$folder/ipsec.conf"
}
