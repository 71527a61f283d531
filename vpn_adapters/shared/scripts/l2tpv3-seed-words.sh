# The seed of the cookies: the public keys of A and B.
seed="${10} ${11}"
