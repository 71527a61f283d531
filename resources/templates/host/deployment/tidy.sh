# Removes what was replaced. Arguments: SLOT DEPLOYMENT (replaced) RUN_DIR
[ -n "$2" ] || exit 0
rm -rf "${1:?}/$2"
rm -f "$3/.lasting/replaced"
