#!/bin/sh
# Speed of deployments and probes on a practice lab of its own, from the repository's root. Wants an idle computer.
set -eu
PYTHONPATH=$PWD
export PYTHONPATH
bin=.venv/bin
trap '"$bin/tunnelmark" lab down --name bench' EXIT
trap 'exit 130' INT TERM
"$bin/tunnelmark" lab up --name bench
"$bin/python" tests/bench/bench_deploy.py bench
"$bin/python" tests/bench/bench_probes.py bench
