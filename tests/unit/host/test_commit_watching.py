"""The supervisor after a confirmation: a disk that takes nothing delays it, and does not leave it out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.domain.script_files import host_script

SHELLS = [("dash",), ("bash", "--posix"), ("busybox", "sh")]


@pytest.mark.parametrize("shell", SHELLS, ids=lambda words: words[0])
@pytest.mark.parametrize(("is_current", "starts"), [("true", 3), ("false", 1)])
def test_supervisor_is_started_as_soon_as_systemd_can(
    shell: tuple[str, ...], is_current: str, starts: int, tmp_path: Path
) -> None:
    functions = host_script("commit.sh").partition("main() {")[0].replace("/run/systemd/system", str(tmp_path))
    script = f"""{functions}
systemctl() {{
    echo "$1" >> '{tmp_path}/asked'
    [ "$1" = start ] && [ "$(grep -c start '{tmp_path}/asked')" -ge 3 ]
}}
sleep() {{ :; }}
is_current() {{ {is_current}; }}
unit=tunnelmark-01234567
id=0123456789abcdef
start_watching
wait
"""
    subprocess.run([*shell, "-c", script], check=True, timeout=120)
    assert (tmp_path / "asked").read_text().split().count("start") == starts
