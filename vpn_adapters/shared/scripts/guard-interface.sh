# Lets frames pass through the interface $4 only.
# @include guard-head.sh
add rule inet $1 guard_out oifname != "$4" ip protocol 115 @nh,160,32 $3 counter drop
add rule inet $1 guard_in iifname != "$4" ip protocol 115 @nh,160,32 $3 counter drop
END
