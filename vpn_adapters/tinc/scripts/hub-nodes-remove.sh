# Removes what the hub knows of its clients. Argument: FOLDER.

rm -f "$1"/hosts/tunnelmark_c*
