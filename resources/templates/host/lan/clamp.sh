# Makes the firewall table that clamps the MSS; arguments as for clamp-make.sh.

# @include clamp-sizes.sh
# @include clamp-make.sh
