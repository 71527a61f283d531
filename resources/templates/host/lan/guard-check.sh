# Makes the table of lan-guard.sh, unless the kernel has no module for firewall tables of bridges: then it ends with 1.
# Arguments as for lan-guard.sh; with -c, nothing is changed.

# @include bridge-tables.sh
# @include ../lan-guard.sh
