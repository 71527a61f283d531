lasting.sh
