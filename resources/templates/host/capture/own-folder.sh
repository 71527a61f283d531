# Makes the folder $1, which root alone may read, unless it is there.
mkdir -m 700 "$1" 2> /dev/null || [ -d "$1" ]
