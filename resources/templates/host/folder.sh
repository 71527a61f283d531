# own_folder: sets folder to the folder of the script that runs, whatever the current one is; own_path as it was named.
# shellcheck disable=SC2034 # not every script says how it was named
own_folder() {
    case $0 in
        */*) own_path=${0%/*} ;;
        *) own_path=. ;;
    esac
    folder=$(CDPATH='' cd -- "${own_path:-/}" 2> /dev/null && pwd -P)
}
