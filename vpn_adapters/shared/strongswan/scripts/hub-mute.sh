# Lets no packet out to the clients while charon is started anew: one without its connection yet refuses a client for good,
# which does not ask again. Arguments: on|off NETWORK; NETWORK is that of the clients' addresses outside.

if [ "$1" = on ]; then exec ip rule add to "$2" priority 90 blackhole; fi
while ip rule delete to "$2" priority 90 blackhole 2> /dev/null; do :; done
