# Whether AppArmor confines openvpn.
# Where the list of loaded profiles cannot be read, a profile that is installed counts as loaded.
# Source: profiles/apparmor.d/openvpn of AppArmor 4.1, which Ubuntu ships since 25.04 and Debian 13 does not.

grep -qs Y /sys/module/apparmor/parameters/enabled || { echo free; exit 0; }
if [ -r /sys/kernel/security/apparmor/profiles ] && loaded=$(cat /sys/kernel/security/apparmor/profiles 2>/dev/null)
then
  case "$loaded" in *"openvpn (enforce)"*) echo confined;; *) echo free;; esac
elif [ -e /etc/apparmor.d/openvpn ] && [ ! -e /etc/apparmor.d/disable/openvpn ]; then echo confined
else echo free
fi
