# Ends the clients' charons. Argument: FOLDER. What they gave to the kernel is their namespaces' own.

# @include ../../scripts/end-named.sh
end_named TERM charon-systemd environ "STRONGSWAN_CONF=$1/client-"
