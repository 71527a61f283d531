# Ends with 1 where the kernel has no module for firewall tables of bridges, and with 0 where only its modules can be seen.
#
# A kernel that has not loaded nf_tables yet is not asked: the question alone would load it. Then one of its modules for
# bridges has to be there. Source: Linux, net/bridge/netfilter/Makefile; the last one is of old kernels.

if [ ! -d /sys/module/nf_tables ]; then
    case $(modprobe -n -v nf_tables 2> /dev/null) in
        *insmod*)
            for module in nft_meta_bridge nft_reject_bridge nf_tables_bridge; do
                if modprobe -n "$module" > /dev/null 2>&1; then exit 0; fi
            done
            echo "the kernel has no module for tables of bridges (nft_meta_bridge)" >&2
            exit 1
            ;;
    esac
fi
