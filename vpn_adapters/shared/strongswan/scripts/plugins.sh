# Lists strongSwan's plugins.

for parent in /usr/lib/ipsec /usr/lib/strongswan /usr/libexec/ipsec /usr/lib64/strongswan; do
  folder=$parent/plugins
  if [ -d "$folder" ]; then ls "$folder"; fi
done
