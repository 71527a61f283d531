#!/bin/sh
# The first half of starting a host made of namespaces: its root file system. Runs as process 1 of the host, in the mount
# namespace of all of them; ends in that of the host alone.
#
# Arguments: DISK (a mounted file system) NAME. Says `apart` and waits for a line on stdin.
set -eu
disk=$1
name=$2
echo apart
read -r _
mount --make-rprivate /
hostname "$name"
root=$disk/root
mount --bind "$root" "$root"
cd "$root"
# The programs of this computer; what is changed is changed on the host alone, and is there after a restart.
mount -t overlay overlay -o "lowerdir=/usr,upperdir=$disk/usr,workdir=$disk/work" usr
mount --bind "$disk/local" usr/local
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=0755,size=16m tmpfs run
mount -t tmpfs -o mode=0755,size=1m tmpfs dev
mkdir dev/net dev/pts dev/shm
for device in null zero full random urandom tty net/tun; do
    : > "dev/$device"
    mount --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mkdir -p .machine
pivot_root . .machine
umount -l /.machine
rmdir /.machine
cd /
exec /sbin/init
