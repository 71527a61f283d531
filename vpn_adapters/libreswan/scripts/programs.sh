# Lists the programs that are needed, by name.

# @include tools.sh
for name in pluto whack addconn newhostkey showhostkey; do
  if [ -n "$programs" ] && [ -x "$programs/$name" ]; then echo "$name"; fi
done
if command -v certutil > /dev/null; then echo certutil; fi
exit 0
