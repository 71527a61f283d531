about.sh
