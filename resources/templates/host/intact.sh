# has_all_files FOLDER: whether nothing that is sourced or run is missing or empty. With these a tunnel can be taken down,
# even where they were changed by hand. Sets damaged to the file that is not there.
has_all_files() {
    damaged=
    for name in about.sh steps.sh lasting.sh; do
        if [ ! -s "$1/$name" ]; then
            damaged=$1/$name
            return 1
        fi
    done
}

# is_intact FOLDER: whether what is sourced of a deployment's files is as it was installed. Sets damaged to the file that
# is missing, empty or another. What is removed later lies below what these files say: an empty one must not be believed.
is_intact() {
    has_all_files "$1" || return 1
    # Before it is installed there are no checksums: it has just been written, and uninstall.sh lies beside it.
    if [ -e "$1/uninstall.sh" ]; then return 0; fi
    if [ ! -s "$1/sums" ]; then
        damaged=$1/sums
        return 1
    fi
    known=$(cat "$1/sums")
    read_names=
    while IFS= read -r line; do
        case "
$known
" in
            *"
$line
"*) read_names="$read_names ${line##*./} " ;;
            *)
                damaged=$1/${line##*./}
                return 1
                ;;
        esac
    done << END
$(cd "$1" && sha256sum ./about.sh ./steps.sh ./lasting.sh 2> /dev/null)
END
    # A file that the disk cannot read has no checksum.
    for name in about.sh steps.sh lasting.sh; do
        case $read_names in
            *" $name "*) ;;
            *)
                damaged=$1/$name
                return 1
                ;;
        esac
    done
}

# is_id TEXT: whether a text is 64 bits in hexadecimal digits, as names of deployments and marks are.
is_id() {
    case $1 in *[!0-9a-f]*) return 1 ;; ????????????????) return 0 ;; *) return 1 ;; esac
}
