# Starts a charon in each client's namespace, with the client's connection, which is not made yet: eight at a time, since more
# keep a small host from answering. Arguments: FOLDER PREFIX COUNT.

# @include tools.sh
umask 077
modprobe -a esp4 xfrm_user 2> /dev/null
begun=0
n=1
while [ "$n" -le "$3" ]; do
  while [ "$begun" -lt "$3" ] && [ "$begun" -lt $((n + 7)) ]; do
    begun=$((begun + 1))
    mkdir -p "$folder/client-$begun"
    : > "$folder/client-$begun/charon.log"
    (ip netns exec "$2$begun" sh "$folder/hub-charon.sh" "$folder" "$begun" < /dev/null > "$folder/client-$begun/out" 2>&1) &
  done
  STRONGSWAN_CONF=$folder/client-$n.conf
  waited=0
  until [ -S "$folder/client-$n/charon.vici" ]; do
    waited=$((waited + 1))
    if [ "$waited" -gt 200 ]; then
      echo "A client's charon did not start" >&2
      tail -n 5 "$folder/client-$n/out" "$folder/client-$n/charon.log" >&2
      exit 1
    fi
    sleep 0.1 2> /dev/null || sleep 1
  done
  for words in "--load-creds --noprompt" "--load-conns --file $folder/swanctl.conf"; do
    # shellcheck disable=SC2086 # the folder has no blanks
    if ! (own_program swanctl $words --uri "unix://$folder/client-$n/charon.vici") > "$folder/swanctl.log" 2>&1; then
      cat "$folder/swanctl.log" >&2
      exit 1
    fi
  done
  n=$((n + 1))
done
