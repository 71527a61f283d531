# stop_supplicant SIGNAL. Expects folder.
# @include ../../shared/scripts/end-named.sh
stop_supplicant() {
  end_named "$1" wpa_supplicant cmdline "$folder/wpa_supplicant.secret"
}
