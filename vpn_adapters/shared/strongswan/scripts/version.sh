# swanctl's version.
# swanctl loads its plugins whatever it is asked, and the one for AF_ALG makes the kernel load some twenty modules of
# ciphers: nothing that a look at a host may do, and five seconds on a small gateway. Its version is in the program as a
# string of its own (seen in 5.9.1, 5.9.8 and 6.0.1).

program=$(command -v swanctl) || exit 127
version=$(tr '\000' '\n' < "$program" | grep -axE '[5-9]\.[0-9]+\.[0-9]+[a-z0-9]*' | head -n 1)
if [ -n "$version" ]; then echo "strongSwan $version swanctl"; else swanctl --help; fi
