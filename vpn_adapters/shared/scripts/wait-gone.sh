# Waits until an interface has gone, which the kernel does after the command returned. $1 name.

n=0
while [ -e "/sys/class/net/$1" ]; do
  n=$((n + 1))
  if [ "$n" -gt 60 ]; then echo "interface $1 is still there" >&2; exit 1; fi
  sleep 0.05 2>/dev/null || sleep 1
done
