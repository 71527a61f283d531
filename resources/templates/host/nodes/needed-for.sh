# Prints what an interface is needed for, so that it cannot be used for a node; changes nothing. Arguments: INTERFACE.

# @include needed.sh
needed_for "$1"
exit 0
