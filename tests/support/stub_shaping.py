"""An interface whose queue and segments are files, and the script that shapes one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from app.domain.script_files import bare_script

NODES = "198.19.0.128/25"
"""Network of the peer's node."""


class StubHost:
    """A folder with programs that keep an interface's queue and segments in files, and a script that runs with them."""

    destinations = f"192.0.2.2/32 {NODES}"

    def __init__(self, shell: str, folder: Path) -> None:
        self.folder, self._shell, self.errors = folder, shell, ""
        self.write("root", "qdisc fq_codel 0: root refcnt 2")
        self.write("segments", "65535")
        (folder / "filter").write_text("")
        self.write("version", "tc utility, iproute2-6.1.0, libbpf 1.1.2")
        self._program("modprobe", "")
        self._program(
            "tc",
            'case "$*" in -V) cat version ;; "qdisc show"*) cat root ;; "filter show"*) cat filter ;;\n'
            '*"del dev"*) echo "qdisc fq_codel 0: root refcnt 2" > root; : > filter ;;\n'
            '"-batch -") while read -r line; do grep -q " 7e57: " root || exit 1; echo "$line" >> batch; done ;;\n'
            '"-batch "*) ! grep " bad" "$2" >&2 ;;\n'
            '*" 7e59: netem "*) shift 9; echo "qdisc netem 7e59: parent 7e58:1 $*" >> root ;;\n'
            '*" netem "*) shift 9; printf "%s\\n" "qdisc prio 7e57: root refcnt 2 bands 4" '
            '"qdisc netem 7e58: parent 7e57:4 $*" > root ;;\n'
            '"filter add"*) echo "filter parent 7e57: $*" >> filter ;; esac',
        )
        self._program(
            "ip",
            'case "$*" in *show*) echo "2: eth1: <UP> gso_max_size 65536 gso_max_segs $(cat segments) x" ;;\n'
            '*gso_max_segs*) for word; do :; done; echo "$word" > segments ;; esac',
        )

    def write(self, name: str, text: str) -> None:
        new = self.folder / f"{name}.new"
        new.write_text(f"{text}\n")
        new.replace(self.folder / name)

    def read(self, name: str) -> str:
        return (self.folder / name).read_text().strip()

    def _program(self, name: str, script: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\ncd {self.folder} || exit\n{script}\n")
        (self.folder / name).chmod(0o755)

    def run(self, action: str, losses: str = "loss random 1% limit 9", changes: str = "", step_s: float = 0.1) -> int:
        words = [action, "eth1", self.destinations, str(self.folder / "kept"), losses, changes, str(step_s)]
        words += ["delay", "20ms", "limit", "7"]
        script = bare_script("tunnel/shape.sh").replace("/lib/modules/$(uname -r)", str(self.folder))
        script = script.replace("/sys/module/", f"{self.folder}/loaded/")
        argv = [*self._shell.split(), "-c", script, "tunnelmark", *words]
        env = os.environ | {"PATH": f"{self.folder}:{os.environ['PATH']}"}
        done = subprocess.run(argv, env=env, cwd=self.folder, capture_output=True, text=True, check=False)
        self.errors = done.stderr.strip()
        return done.returncode
