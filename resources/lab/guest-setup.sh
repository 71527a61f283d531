#!/bin/sh
# Runs once inside the practice lab's image while it is made: users, services, package repository.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

repository=/srv/tunnelmark-repo

echo "tunnelmark: package repository"
mkdir -p "$repository"
# The packages that can be removed and installed again in a guest, with what they depend on.
# What every Debian has anyway is left out.
apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
    iperf3 openvpn wireguard-tools tcpdump | grep '^[a-z0-9]' | sort -u > /tmp/closure
dpkg-query -W -f '${db:Status-Abbrev}|${Essential}|${Priority}|${Package}\n' |
    awk -F'|' '$1 ~ /^ii/ && $2 != "yes" && $3 != "required" && $3 != "important" { print $4 }' | sort -u > /tmp/installed
(cd "$repository" && comm -12 /tmp/closure /tmp/installed | xargs apt-get download -q -o APT::Sandbox::User=root)
(
    cd "$repository"
    for package in *.deb; do
        dpkg-deb -f "$package"
        echo "Filename: ./$package"
        echo "Size: $(stat -c %s "$package")"
        echo "SHA256: $(sha256sum "$package" | cut -d' ' -f1)"
        echo
    done > Packages
)
rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*
rm -rf /var/lib/apt/lists/*
echo "deb [trusted=yes] file:$repository ./" > /etc/apt/sources.list
echo 'Acquire::Languages "none";' > /etc/apt/apt.conf.d/90tunnelmark-lab
apt-get update -q
apt-get clean

echo "tunnelmark: users"
for user in operator nopass doasuser plain; do
    # Debian has a group `operator` already; a user of that name joins it.
    if getent group "$user" > /dev/null; then
        useradd --create-home --shell /bin/bash --gid "$user" --password '*' "$user"
    else
        useradd --create-home --shell /bin/bash --user-group --password '*' "$user"
    fi
    install -d -m 0700 -o "$user" -g "$user" "/home/$user/.ssh"
done
install -d -m 0700 /root/.ssh

echo "tunnelmark: services"
systemctl mask --quiet apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
    e2scrub_reap.service fstrim.timer logrotate.timer man-db.timer systemd-tmpfiles-clean.timer \
    systemd-pstore.service systemd-networkd-wait-online.service systemd-logind.service \
    getty@tty1.service serial-getty@ttyS0.service console-getty.service getty-static.service \
    systemd-hwdb-update.service systemd-update-utmp.service systemd-update-utmp-runlevel.service \
    ldconfig.service systemd-journal-catalog-update.service systemd-tpm2-setup-early.service \
    systemd-tpm2-setup.service systemd-machine-id-commit.service systemd-firstboot.service \
    systemd-journal-flush.service modprobe@drm.service dev-hugepages.mount \
    sys-kernel-debug.mount sys-kernel-tracing.mount
systemctl disable --quiet openvpn.service nftables.service iperf3.service ssh.socket sshd-keygen.service 2>/dev/null || true
systemctl enable --quiet systemd-networkd.service ssh.service tunnelmark-lab-setup.service tunnelmark-lab-ready.service
systemctl set-default --quiet multi-user.target
rm -f /etc/ssh/ssh_host_*
rm -rf /etc/update-motd.d/*
: > /etc/motd

echo "tunnelmark: start-up files"
sed -i 's/^MODULES=.*/MODULES=list/; s/^COMPRESS=.*/COMPRESS=gzip/' /etc/initramfs-tools/initramfs.conf
printf 'virtio_pci\nvirtio_blk\next4\n' >> /etc/initramfs-tools/modules
update-initramfs -u -k all
rm -f /tmp/closure /tmp/installed
: > /etc/machine-id
rm -f /var/lib/dbus/machine-id
