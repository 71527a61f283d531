# Files that only root can change.

# is_roots_file PATH KIND: whether PATH (absolute) belongs to root, and so does each folder and symbolic link on the way to
# it, and no other user may write to one of them. KIND: `-` a file, `d` a folder, `+` a file that may be missing, as may
# folders above it. Sets real_path to the path without symbolic links. The sticky bit does not count: it does not keep names
# from being taken.
is_roots_file() {
    real_path='' path_left=$1 links=0
    case $1 in /*) ;; *) return 1 ;; esac
    has_roots_mode / d || return 1
    while [ -n "$path_left" ]; do
        path_left=${path_left#/}
        name=${path_left%%/*}
        case $path_left in */*) path_left=/${path_left#*/} ;; *) path_left='' ;; esac
        case $name in
            '' | .) continue ;;
            ..)
                real_path=${real_path%/*}
                continue
                ;;
        esac
        if [ -L "$real_path/$name" ]; then
            follow_link || return 1
            continue
        fi
        real_path=$real_path/$name
        if [ "$2" = + ] && [ ! -e "$real_path" ]; then
            # Only root can make what is missing.
            real_path=$real_path$path_left
            case $path_left/ in */../*) return 1 ;; *) return 0 ;; esac
        fi
        if [ -z "${path_left#/}" ]; then
            has_roots_mode "$real_path" "${2#+}"
            return
        fi
        has_roots_mode "$real_path" d || return 1
    done
    [ "$2" = d ]
}

# follow_link: puts what the symbolic link $name points to in its place.
follow_link() {
    links=$((links + 1))
    [ "$links" -le 20 ] && has_roots_mode "$real_path/$name" l || return 1
    link_target=$(readlink "$real_path/$name") && [ -n "$link_target" ] || return 1
    case $link_target in /*) real_path='' ;; esac
    path_left=/$link_target$path_left
}

# has_roots_mode PATH TYPE: TYPE is the first letter of what ls prints; a file where it is empty. The mode of a symbolic
# link says nothing. A folder is asked for once: only root could change what it was found to be.
has_roots_mode() {
    case $roots_folders in *":$2$1:"*) return 0 ;; esac
    read -r listed_mode _ listed_owner _ << END
$(ls -ldn "$1" 2> /dev/null)
END
    case $2.$listed_owner.$listed_mode in
        l.0.l* | -.0.-????[!w]??[!w]* | .0.-????[!w]??[!w]*) ;;
        d.0.d????[!w]??[!w]*) case $1 in *:*) ;; *) roots_folders=$roots_folders:d$1: ;; esac ;;
        *) return 1 ;;
    esac
}
roots_folders=

# is_roots_path FOLDERS: whether each folder of a search path is such, and none is the current one.
is_roots_path() {
    folders_left=$1:
    while [ -n "$folders_left" ]; do
        is_roots_file "${folders_left%%:*}" d || return 1
        folders_left=${folders_left#*:}
    done
}
