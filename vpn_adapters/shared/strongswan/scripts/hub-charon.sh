# Becomes a client's charon, in the namespace in which it is started. Arguments: FOLDER NUMBER.

# @include tools.sh
STRONGSWAN_CONF=$folder/client-$2.conf
own_program charon-systemd
