# Makes an L2TPv3 tunnel with cookies made of two public keys inside PPP, as soon as PPP is up. Arguments as in l2tpv3-words.sh.
# @include ppp-wait.sh
# @include l2tpv3-words.sh
