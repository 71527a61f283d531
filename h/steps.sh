steps.sh
