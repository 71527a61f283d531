# What charon has installed. $1: the tunnel's own folder.
# @include tools.sh
ask --list-sas --ike tunnelmark 2> /dev/null
