#!/bin/sh
# Runs once inside the practice lab's image while it is made: users, services, package repository.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

repository=/srv/tunnelmark-repo

echo "tunnelmark: package repository"
mkdir -p "$repository"
# The packages that can be removed and installed again in a guest, with what they depend on.
# What every Debian has anyway is left out.
dpkg-query -W -f '${Package}\n' iperf3 openvpn wireguard-tools tcpdump strongswan-swanctl charon-systemd \
    libcharon-extra-plugins libstrongswan-extra-plugins tinc wpasupplicant freelan 2> /dev/null > /tmp/wanted || true
xargs apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances < /tmp/wanted | grep '^[a-z0-9]' | sort -u > /tmp/closure
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
# A virtual gateway is emulated and slow: every program that is not started saves a fifth of a second. What is left out
# here is timers, consoles, and what has nothing to do on this machine.
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
    fstrim.timer logrotate.timer man-db.timer systemd-tmpfiles-clean.timer systemd-pstore.service \
    systemd-networkd-wait-online.service systemd-logind.service getty@tty1.service serial-getty@ttyS0.service \
    console-getty.service getty-static.service systemd-hwdb-update.service systemd-update-utmp.service \
    systemd-update-utmp-runlevel.service ldconfig.service systemd-journal-catalog-update.service \
    systemd-tpm2-setup-early.service systemd-tpm2-setup.service systemd-machine-id-commit.service \
    systemd-firstboot.service systemd-journal-flush.service modprobe@drm.service modprobe@configfs.service \
    modprobe@fuse.service modprobe@efi_pstore.service dev-hugepages.mount dev-mqueue.mount run-lock.mount \
    sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount sys-fs-fuse-connections.mount \
    systemd-network-generator.service systemd-networkd-persistent-storage.service \
    systemd-udev-load-credentials.service systemd-sysusers.service systemd-update-done.service \
    systemd-random-seed.service systemd-remount-fs.service systemd-hibernate-clear.service systemd-binfmt.service \
    proc-sys-fs-binfmt_misc.automount systemd-ask-password-console.path systemd-ask-password-wall.path \
    sshd-unix-local.socket; do
    ln -sf /dev/null "/etc/systemd/system/$unit"
done
# /dev/net/tun is made by one of these two, the early one where there is one.
if [ -e /lib/systemd/system/systemd-tmpfiles-setup-dev-early.service ]; then
    ln -sf /dev/null /etc/systemd/system/systemd-tmpfiles-setup-dev.service
fi
mkdir -p /etc/systemd/system-generators
for generator in systemd-ssh-generator systemd-gpt-auto-generator systemd-hibernate-resume-generator \
    systemd-debug-generator systemd-getty-generator systemd-rc-local-generator systemd-run-generator \
    systemd-system-update-generator systemd-sysv-generator systemd-tpm2-generator systemd-cryptsetup-generator \
    systemd-veritysetup-generator openvpn-generator; do
    ln -sf /dev/null "/etc/systemd/system-generators/$generator"
done
rm -f /etc/modules-load.d/modules.conf
# No VPN starts by itself.
for unit in openvpn.service nftables.service ufw.service iperf3.service ssh.socket sshd-keygen.service strongswan.service \
    strongswan-starter.service tinc.service wpa_supplicant.service freelan.service; do
    systemctl disable --quiet "$unit" 2> /dev/null || true # not every release has each of them
done
rm -f /etc/rc?.d/S??freelan
systemctl enable --quiet systemd-networkd.service ssh.service tunnelmark-lab-setup.service tunnelmark-lab-ready.service
systemctl set-default --quiet multi-user.target
rm -f /etc/ssh/ssh_host_*
rm -rf /etc/update-motd.d/*
: > /etc/motd
: > /etc/default/locale # else every login complains about it in the journal

echo "tunnelmark: start-up files"
# Unpacking modules takes an emulated CPU far longer than reading them from the disk.
find /lib/modules -name '*.ko.xz' -exec unxz {} +
for kernel in /lib/modules/*; do
    depmod -a "${kernel##*/}"
done
# The initial RAM disk needs three drivers and no udev.
sed -i 's/^MODULES=.*/MODULES=list/; s/^COMPRESS=.*/COMPRESS=gzip/' /etc/initramfs-tools/initramfs.conf
printf 'virtio_pci\nvirtio_blk\next4\n' >> /etc/initramfs-tools/modules
rm -f /usr/share/initramfs-tools/hooks/udev /usr/share/initramfs-tools/scripts/init-top/udev \
    /usr/share/initramfs-tools/scripts/init-bottom/udev
chmod 0755 /etc/initramfs-tools/scripts/init-bottom/tunnelmark-lab
update-initramfs -u -k all
rm -f /tmp/wanted /tmp/closure /tmp/installed
: > /etc/machine-id
rm -f /var/lib/dbus/machine-id
