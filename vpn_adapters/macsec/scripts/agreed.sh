# Makes the interface and starts wpa_supplicant. Arguments as for static.sh, $1 to $8.
# wpa_supplicant finds the interface that is there, by its channel identifier, and takes it up once there is a key.
# The key from which MKA makes its own is the same however often this host does this: its peer may run on meanwhile. Those
# that encrypt are new each time. Source: IEEE 802.1X-2020 section 9.8.

# @include create.sh
# shellcheck disable=SC2034 # derive-key.sh uses it
count=mka
# @include derive-key.sh
cak=$(derive CAK 64 "$cipher")
while IFS= read -r line || [ -n "$line" ]; do
  case $line in
    *mka_cak=*) printf '  mka_cak=%s\n' "$cak";;
    *) printf '%s\n' "$line";;
  esac
done < "$folder/wpa_supplicant.conf" > "$folder/wpa_supplicant.secret"
# @include configure.sh
rm -f "$folder/wpa_supplicant.log"
wpa_supplicant -B -D macsec_linux -i "$lower" -c "$folder/wpa_supplicant.secret" -P "$folder/wpa_supplicant.pid"   -f "$folder/wpa_supplicant.log" > /dev/null
