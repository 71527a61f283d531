# Prints CPU time and fragments every half second. $1 number of samples.
# Writing is the only thing that tells a shell that its channel was closed: echo then ends it by SIGPIPE.

# @include pause.sh
# @include fragments.sh
limit=$1 passed=0
echo "@pid $$"
while [ "$passed" -lt "$limit" ]; do
    read -r line </proc/stat || exit 1
    read -r uptime rest </proc/uptime || exit 1
    count_fragments
    echo "$uptime $fragments $line"
    passed=$((passed + 1))
    pause 0.5
done
