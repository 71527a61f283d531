# Public values of this host's keys, and of the other host's.
# Expects: public_values, fail, limited, parts, side; for check_peers also TUNNELMARK_VALUES.

# value_of NAME: makes the value of that name of what its program prints, as the VPN's adapter in Tunnelmark does.
value_of() {
    case $1 in
        certificate) sed -n '/-----BEGIN CERTIFICATE-----/,/-----END CERTIFICATE-----/p' ;;
        # Source: openssl-x509(1): `sha256 Fingerprint=AA:BB...`, with a capital S before OpenSSL 3.0.
        fingerprint) openssl x509 -noout -fingerprint -sha256 | sed 's/.*=//' ;;
        ike-public-key) sed '/-----/d' ;;
        rsa-public-key) sed -n '/-----BEGIN PUBLIC KEY-----/,/-----END PUBLIC KEY-----/p' ;;
        ssh-public-key) cut -d ' ' -f 1,2 ;;
        *) cat ;;
    esac
}

# print_public NAME: prints a value of this host's keys; public_values calls print_value for each.
print_public() {
    wanted=$1
    public_values
}

# print_value NAME SECONDS PROGRAM ARGUMENT...: prints the value of that name that a program shows, where it is wanted.
print_value() {
    [ "$1" = "$wanted" ] || return 0
    shift
    shown=$(limited "$@" < /dev/null) || return 1
    printf '%s\n' "$shown" | value_of "$wanted"
}

# make_key SECONDS PROGRAM ARGUMENT...: what it prints is for the user.
make_key() {
    limited "$@" < /dev/null >&2
}

# write_value NAME FILE
write_value() {
    print_public "$1" > "$2" && [ -s "$2" ]
}

# check_value FILE PATTERN LINES TEXT: what stands for a value is replaced by nothing but such a value.
check_value() {
    [ -s "$1" ] || fail "$1 is missing: it is $4. See README.txt."
    if [ "$(grep -c '' "$1")" -gt "$3" ] || grep -Evqx "$2" "$1"; then fail "$1 is not $4."; fi
}

# is_own NAME FILE: whether a file holds this host's own value: the folders were mixed up.
is_own() {
    own=$TUNNELMARK_VALUES/$1-of-$side
    [ -s "$own" ] && [ "$(cat "$own")" = "$(cat "$2")" ]
}

# check_peers NAME SIDE PATTERN LINES TEXT: a value of the other host is checked, and put beside this host's own.
check_peers() {
    peers=public-of-$2/$1-of-$2
    check_value "$parts/$peers" "$3" "$4" "$5"
    cp "$parts/$peers" "$TUNNELMARK_VALUES/$1-of-$2" || exit 1
    if is_own "$1" "$parts/$peers"; then fail "$parts/$peers is of this host."; fi
}
