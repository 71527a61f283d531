# The profiles of AppArmor that are loaded, or else those that are installed.
# @include path.sh
cat /sys/kernel/security/apparmor/profiles 2>/dev/null || ls /etc/apparmor.d 2>/dev/null
