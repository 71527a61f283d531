# What pluto has agreed on. $1: the tunnel's own folder.
# @include tools.sh
ask --showstates 2> /dev/null && ask --connectionstatus 2> /dev/null
