# Lists the programs that are needed, by name.

for parent in /usr/libexec/ipsec /usr/lib/ipsec /usr/lib64/ipsec /usr/local/libexec/ipsec; do
  [ -x "$parent/pluto" ] || continue
  for name in pluto whack addconn newhostkey showhostkey; do
    if [ -x "$parent/$name" ]; then echo "$name"; fi
  done
  break
done
if command -v certutil > /dev/null; then echo certutil; fi
exit 0
