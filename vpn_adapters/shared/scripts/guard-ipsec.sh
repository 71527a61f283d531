# Lets frames pass inside IPsec only.
# @include guard-head.sh
add rule inet $1 guard_out ip protocol 115 @nh,160,32 $3 rt ipsec missing counter drop
add rule inet $1 guard_in ip protocol 115 @nh,160,32 $3 meta ipsec missing counter drop
END
