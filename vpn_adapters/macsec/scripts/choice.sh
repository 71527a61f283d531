# Whether wpa_supplicant can choose the cipher.
# Which cipher a key server chooses can be set since wpa_supplicant 2.11; nothing but the program says so.
grep -q macsec_csindex "$(command -v wpa_supplicant)" && echo macsec_csindex
