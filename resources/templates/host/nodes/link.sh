# keep_link INTERFACE NOTES: writes down what MTU, hardware address and IPv6 an interface has.
keep_link() {
  ipv6=-
  [ ! -e "/proc/sys/net/ipv6/conf/$1/disable_ipv6" ] || ipv6=$(cat "/proc/sys/net/ipv6/conf/$1/disable_ipv6")
  printf '%s %s %s %s\n' "$1" "$(cat "/sys/class/net/$1/mtu")" "$(cat "/sys/class/net/$1/address")" "$ipv6" > "$2/link"
}
