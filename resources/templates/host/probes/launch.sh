# Runs the script in $0 by bash where there is one, else by sh: see pause.sh. Arguments: those of the script.
command -v bash >/dev/null 2>&1 && exec bash -c "$0" tunnelmark "$@"
exec sh -c "$0" tunnelmark "$@"
