#!/bin/sh
# Tests on virtual machines, as two halves at the same time: most of the time each waits for its machines, so that two
# cores take both. What failed is shown and tried once more, when nothing else runs: a computer that is busy makes
# emulated machines miss their times. What fails twice or broke the run off fails. Under TUNNELMARK_NO_SKIPS, which
# .ci/run sets, what was skipped fails as well; without it, it does not.
#
#   tests/on_machines.sh PYTHON
set -u
cd "$(dirname "$0")/.." || exit 1
python=$1
mkdir -p build
log=build/on-machines-adapters.log

adapters="tests/lab/test_adapter_traffic.py tests/lab/test_adapter_guards.py tests/lab/test_adapter_steps.py
    tests/lab/test_openvpn_versions.py tests/lab/test_freelan_gateways.py tests/lab/test_lab_platforms.py
    tests/lab/test_ssh_local.py tests/lab/test_ssh_local_connections.py tests/lab/test_fleet_namespaces.py
    tests/lab/test_faults_sample.py"

run() { # $1: adapters or others; the rest goes to pytest
    name=$1
    shift
    case $name in
        adapters)
            # shellcheck disable=SC2086 # one word per file
            set -- "$@" $adapters
            ;;
        others)
            for file in $adapters; do set -- "$@" "--ignore=$file"; done
            set -- "$@" tests/lab tests/e2e
            ;;
    esac
    $instead "$python" -m pytest -q -o "cache_dir=.pytest_cache/$name" "$@"
}

instead=
{ instead="exec"; run adapters --cache-clear; } > "$log" 2>&1 &
first=$!
trap 'kill "$first" 2> /dev/null; exit 130' INT TERM HUP
run others --cache-clear
others=$?
wait "$first"
adapters_status=$?
trap - INT TERM HUP
cat "$log"
status=0
for name in adapters others; do
    case $name in adapters) before=$adapters_status ;; others) before=$others ;; esac
    if [ "$before" -eq 0 ]; then continue; fi
    run "$name" --last-failed --last-failed-no-failures none || status=1
    # Broken off (2), an error of pytest itself (3), wrong use (4): there are no results that could be trusted.
    if [ "$before" -ne 1 ]; then status=1; fi
done
exit "$status"
