# The path of sshd, which only root has on his path.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
command -v sshd
