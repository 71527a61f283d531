#!/bin/sh
# Turns the packed tree into a file system image, a kernel and an initial RAM disk. Runs as root, or as root of a user
# namespace. Arguments: folder to work in, size of the file system with its unit.
set -eu
cd "$1"
mkdir tree
trap 'rm -rf tree' EXIT
tar --extract --file root.tar --directory tree --numeric-owner --preserve-permissions --exclude './dev/*'
mkdir -p tree/dev tree/proc tree/sys tree/run
cat tree/boot/vmlinuz-* > vmlinuz
# What is unpacked here need not be unpacked by an emulated CPU at every boot.
gzip -dc tree/boot/initrd.img-* > initrd 2> /dev/null || cat tree/boot/initrd.img-* > initrd
rm -f tree/boot/initrd.img-*
mke2fs -q -F -t ext4 -L root -d tree -E lazy_itable_init=0,lazy_journal_init=0 root.img "$2"
rm -f root.tar
