# derive LABEL DIGITS CIPHER: prints a key made of the shared secret. A key is never in the arguments of a program: the shell's
# own printf writes it, to the stdin of `ip -batch` or into a file that only root can read. What `ip` says about a line
# with a key in it is not shown. Expects folder, and count: a word that is part of the key.
# Source: NIST SP 800-56C rev. 2 section 4 (one-step derivation with SHA-256).

secret=
read -r secret < "$folder/macsec.secret" || [ "${#secret}" -eq 64 ]
derive() {
  printf '\000\000\000\001%s Tunnelmark MACsec %s %s %s' "$secret" "$1" "$3" "$count" | sha256sum | cut -c "1-$2"
}
