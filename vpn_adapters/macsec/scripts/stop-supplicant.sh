# stop_supplicant SIGNAL. Expects folder.
# @include ../../shared/scripts/end-processes.sh
stop_supplicant() {
  end_processes "$1" wpa_supplicant cmdline "$folder/wpa_supplicant.secret"
}
