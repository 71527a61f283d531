# own_program and ask: strongSwan's programs with our configuration. $1: the tunnel's own folder.
# The profiles that Debian and Ubuntu ship for AppArmor confine charon and swanctl to the system's own configuration and
# sockets. These are other instances with files of their own: they are started without those profiles, which stay as
# they are for the system's. Source: aa-exec(1); the kernel's Documentation/admin-guide/LSM/apparmor.rst. $folder: the
# tunnel's own folder.

folder=$1
STRONGSWAN_CONF=$folder/strongswan.conf
SWANCTL_DIR=$folder/swanctl
export STRONGSWAN_CONF SWANCTL_DIR
own_program() {
  for attribute in /proc/self/attr/apparmor/exec /proc/self/attr/exec; do
    if { printf 'exec unconfined' > "$attribute"; } 2> /dev/null; then break; fi
  done
  exec "$@"
}
ask() (
  own_program swanctl "$@" --uri "unix://$folder/charon.vici"
)
