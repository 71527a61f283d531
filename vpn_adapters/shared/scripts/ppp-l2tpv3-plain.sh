# Makes an L2TPv3 tunnel without cookies inside PPP, as soon as PPP is up. Arguments as in l2tpv3-plain.sh.
# @include ppp-wait.sh
# @include l2tpv3-plain.sh
