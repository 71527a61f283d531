# Loads the modules. That may fail where they are built in; the next command then works, or says what is wrong.

set -e
modprobe -a l2tp_ip l2tp_eth 2>/dev/null || :
