# Makes the interface and starts wpa_supplicant. Arguments as for static.sh, $1 to $8.
# wpa_supplicant finds the interface that is there, by its channel identifier, and takes it up once there is a key.

# @include create.sh
# @include derive.sh
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
