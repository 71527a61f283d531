"""Time of the linter for a file of 1 MB of each kind. The figures are printed; CPU seconds are what counts."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from lint_corpus import BAD, FOLDER, KIND_OF

from app.linting.files import LintOptions, lint_bytes

SIZE_BYTES = 1_000_000
LIMIT_S = 1.0


@pytest.mark.parametrize("name", BAD)
def test_lint_one_megabyte(name: str) -> None:
    one = (FOLDER / name).read_bytes()
    data = one * (SIZE_BYTES // len(one) + 1)
    lint_bytes(one, name, LintOptions())
    times = []
    for _ in range(3):
        before = time.process_time()
        file = lint_bytes(data, name, LintOptions())
        times.append(time.process_time() - before)
    assert file.kind is KIND_OF[name]
    print(f"\nlint, {len(data) / 1e6:.1f} MB of {name}: {min(times) * 1000:.0f} ms CPU, {len(file.findings)} findings")
    assert min(times) < LIMIT_S


def test_the_whole_command(tmp_path: Path) -> None:
    one = (FOLDER / "bad/openvpn-old-client.ovpn").read_bytes()
    path = tmp_path / "large.ovpn"
    path.write_bytes(one * (SIZE_BYTES // len(one) + 1))
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "ui.main", "lint", "--format", "json", str(path)], capture_output=True, check=False
    )
    print(f"\ntunnelmark lint, 1 MB of OpenVPN: {time.perf_counter() - began:.2f} s wall")
    assert done.returncode == 1
