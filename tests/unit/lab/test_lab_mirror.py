"""The Debian archive that a lab's image is made from, and errors of the operating system."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from app.domain.errors import DiskFull, LabFault, TunnelmarkError
from app.lab.faults import os_faults
from app.lab.messages import MAKING_IMAGE, NO_APT, NO_ARCHIVE, SAVING_GATEWAY
from app.lab.mirror import MIRROR_VARIABLE, find_mirror, parse_index_targets
from support.message_checks import has_message


def test_the_mirror_of_this_computer_is_found_in_apt_s_list() -> None:
    output = "Debian|Debian-Security|http://m/debian-security/\nGoogle|x|http://g/\nDebian|Debian|http://m/debian/\n"
    assert parse_index_targets(output) == "http://m/debian"


@pytest.mark.parametrize("output", ["", "\n", "Ubuntu|Ubuntu|http://u/ubuntu/\n", "Debian|Debian\n", "|||\n"])
def test_without_a_debian_archive_there_is_no_mirror(output: str) -> None:
    assert parse_index_targets(output) is None


def test_no_mirror_is_a_fault_with_a_way_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    fake = tmp_path / "apt-get"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(LabFault, check=has_message(NO_ARCHIVE, variable=MIRROR_VARIABLE)):
        find_mirror()
    monkeypatch.setenv(MIRROR_VARIABLE, "file:/mirror")
    assert find_mirror() == "file:/mirror"


def test_without_apt_it_is_reported_what_the_lab_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabFault, check=has_message(NO_APT, program="apt-get")):
        find_mirror()


@pytest.mark.parametrize(
    ("number", "expected"),
    [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EACCES, LabFault), (errno.EROFS, LabFault)],
)
def test_the_operating_system_s_errors_become_ours(number: int, expected: type[TunnelmarkError]) -> None:
    with (
        pytest.raises(expected, check=has_message(MAKING_IMAGE, platform="tea")) as caught,
        os_faults(MAKING_IMAGE(platform="tea")),
    ):
        raise OSError(number, os.strerror(number), "/some/file")
    assert "/some/file" in str(caught.value)


def test_our_own_errors_pass_unchanged() -> None:
    error = LabFault("mine")
    with pytest.raises(LabFault) as caught, os_faults(SAVING_GATEWAY()):
        raise error
    assert caught.value is error
