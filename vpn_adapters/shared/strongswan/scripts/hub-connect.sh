# Connects each client, which remains connected, and gives it its address inside. Arguments: FOLDER PREFIX COUNT FIRST NETWORK HUB
# SECONDS; FIRST is the first client's address, those of others follow in its last byte; HUB is the hub's address outside.

# @include tools.sh
read -r now _ < /proc/uptime
end=$((${now%%.*} + $7))
n=1
while [ "$n" -le "$3" ]; do
  inside=${4%.*}.$((${4##*.} + n - 1))
  ip -n "$2$n" addr replace "$inside/32" dev lan || exit 1
  via=$(ip -n "$2$n" -o route get "$6" | sed -n 's/.* via \([^ ]*\).*/\1/p')
  ip -n "$2$n" route replace "$5" via "$via" src "$inside" || exit 1
  # A session gives up a hub that is gone sooner than an attempt of a flood does.
  cat "$folder/session-$n.conf" > "$folder/client-$n.conf"
  STRONGSWAN_CONF=$folder/client-$n.conf
  for words in "--reload-settings" "--load-conns --file $folder/session-$n.swanctl"; do
    # shellcheck disable=SC2086 # the folder has no blanks
    if ! (own_program swanctl $words --uri "unix://$folder/client-$n/charon.vici") > "$folder/swanctl.log" 2>&1; then
      cat "$folder/swanctl.log" >&2
      exit 1
    fi
  done
  until (own_program swanctl --initiate --child tunnelmark --timeout 8 --uri "unix://$folder/client-$n/charon.vici") \
    > "$folder/swanctl.log" 2>&1; do
    read -r now _ < /proc/uptime
    if [ "${now%%.*}" -gt "$end" ]; then
      echo "Client $n did not connect." >&2
      tail -n 3 "$folder/swanctl.log" >&2
      exit 1
    fi
    sleep 0.5 2> /dev/null || sleep 1
  done
  n=$((n + 1))
done
