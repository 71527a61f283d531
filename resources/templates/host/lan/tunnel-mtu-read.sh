# has_mtu INTERFACE BYTES: whether an interface has this MTU.
has_mtu() {
    mtu_now=
    read -r mtu_now 2> /dev/null < "/sys/class/net/$1/mtu"
    [ "$mtu_now" = "$2" ]
}
