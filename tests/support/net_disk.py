"""The disk of a host made of namespaces: its own files, its network, its sshd and its users."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from support.net_users import users_script
from support.net_world import World

_HERE = Path(__file__).parent
SIZE = "64m"

_ETC = (
    "passwd group shadow gshadow nsswitch.conf ld.so.cache ld.so.conf ld.so.conf.d os-release debian_version protocols "
    "services alternatives login.defs shells localtime hosts"
)

# $1 disk, $2 kind (sysv or busybox), $3 folder with the host's own files, $4 its name. Everything of a host but its
# programs.
_INSTALL = f"""
mkdir "$1"
mount -t tmpfs -o mode=0755,size={SIZE} tmpfs "$1"
cd "$1"
mkdir -p root usr/sbin work local
cd root
mkdir -p etc/ssh etc/ssl etc/init.d etc/sudoers.d var/lib var/log var/tmp proc sys dev run usr home opt
mkdir -m 1777 tmp
mkdir -m 0700 root root/.ssh
for folder in bin sbin lib lib32 lib64 libx32; do if [ -L "/$folder" ]; then cp -a "/$folder" .; fi; done
for name in {_ETC}; do if [ -e "/etc/$name" ]; then cp -a "/etc/$name" etc/; fi; done
cp -a /etc/ssl/openssl.cnf etc/ssl/
cp -a /etc/pam.d /etc/security etc/
# sudo says so where its host has no address.
echo "127.0.1.1 $4" >> etc/hosts
# Who makes the host's clock jump writes there what does it (libfaketime).
ln -s /tmp/preload etc/ld.so.preload
case $2 in
    sysv) mkdir etc/rc2.d etc/rc3.d ;;
    busybox) echo '#!/bin/sh' > etc/init.d/rcS ;;
esac
cp "$3/network.sh" etc/
cp "$3/sshd_config" "$3/ssh_host_ed25519_key" etc/ssh/
cp "$3/authorized_keys" root/.ssh/
. "$3/users"
chmod 600 etc/ssh/ssh_host_ed25519_key
cp "$3/init" ../usr/sbin/init
chmod 755 ../usr/sbin/init
# Kernels without modules do not say what is built in; a tap device has been made to see that tun is.
mkdir -p "../usr/lib/modules/$(uname -r)"
cp "/usr/lib/modules/$(uname -r)/modules.builtin" "../usr/lib/modules/$(uname -r)/" 2> /dev/null || :
echo kernel/drivers/net/tun.ko >> "../usr/lib/modules/$(uname -r)/modules.builtin"
"""

# On lan0: two addresses of one subnet, the first with a broadcast address of its own, and a route through a router.
_NETWORK = """
ip link set lo up
ip addr add {management} dev mgmt0
ip link set mgmt0 up
ip addr add {underlay} dev eth1
ip link set eth1 up
if [ -e /sys/class/net/lan0 ]; then
    ip link set lan0 up
    ip addr add {lan}/24 brd 10.77.0.127 dev lan0
    ip addr add {second}/24 dev lan0 label lan0:1
    ip route add 198.51.100.0/24 via 10.77.0.254 dev lan0
fi
"""

_SSHD = (
    "Port 22",
    "HostKey /etc/ssh/ssh_host_ed25519_key",
    "PidFile none",
    "UsePAM no",
    "UseDNS no",
    "MaxStartups 100",
    "PermitRootLogin prohibit-password",
    # Of the users; without PAM, sshd compares with /etc/shadow itself.
    "PasswordAuthentication yes",
    "KbdInteractiveAuthentication no",
    "SetEnv FAKETIME_TIMESTAMP_FILE=/tmp/clock FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_NO_CACHE=1 NO_FAKE_STAT=1",
)


@dataclass(frozen=True)
class Disk:
    """A host's disk.

    Attributes:
        path: Where it is mounted in the world.
        name: What the host calls itself.
        kind: How the host starts what starts with it: `sysv` or `busybox`.
        addresses: `management` and `underlay` with prefix length, `lan` and `second` without.
    """

    path: str
    name: str
    kind: str
    addresses: Mapping[str, str]

    def make(self, world: World, folder: Path, public_key: Path) -> str:
        """Make it.

        Args:
            world: Where the host lives.
            folder: For the host's own files; it is made.
            public_key: The key that lets every user in.

        Returns:
            Type and key of the host's public key.
        """
        folder.mkdir(mode=0o700, parents=True)
        key = folder / "ssh_host_ed25519_key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        shutil.copy(public_key, folder / "authorized_keys")
        shutil.copy(_HERE / "net_host_init.sh", folder / "init")
        (folder / "sshd_config").write_text("\n".join((*_SSHD, *_penalties())) + "\n")
        (folder / "network.sh").write_text(_NETWORK.format(**self.addresses).lstrip())
        (folder / "users").write_text(users_script())
        world.run(_INSTALL, self.path, self.kind, str(folder), self.name)
        return " ".join(key.with_suffix(".pub").read_text().split()[:2])


def _penalties() -> tuple[str, ...]:
    """OpenSSH from 9.8 on shuts out who breaks off connections, as these tests do."""
    argv = ["/usr/sbin/sshd", "-T", "-f", "/dev/null", "-o", "HostKey=/dev/null", "-o", "PerSourcePenalties=no"]
    ran_it = subprocess.run(argv, capture_output=True, text=True, check=False)
    return () if "Bad configuration option" in ran_it.stderr else ("PerSourcePenalties no",)
