"""Saved machines: when one is made, used, refused and removed."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled, LabFault, NotFound
from app.domain.hosts import Side
from app.domain.messages import MessageForm
from app.lab import LabProgress, LabSpec, boot
from app.lab import saved as saved_module
from app.lab.messages import (
    BOOTING_INSTEAD,
    DISK_FULL_WHILE,
    GATEWAYS_TOO_SLOW,
    GATEWAYS_UP,
    LAB_PROGRAM_MISSING,
    RESTORING_GATEWAYS,
    SAVING_BOOTED,
    SAVING_GATEWAY,
    SPACE_TOO_LITTLE,
    WAITING_FOR_LOGIN,
)
from support.message_checks import has_message, shows
from support.pretended_lab import WAIT_S, PretendedLabs, assert_nothing_is_left, needs_ssh_keygen, pretended_labs, up

pytestmark = needs_ssh_keygen


@pytest.fixture
def labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PretendedLabs:
    return pretended_labs(tmp_path, monkeypatch)


def machines(base: Path) -> list[Path]:
    return sorted((base / "cache/lab/debian-13/machines").iterdir())


def start(labs: PretendedLabs, *, is_cold: bool = False, on_booting: Callable[[], None] = lambda: None) -> list[str]:
    """Start a lab, end it, and return what was reported. What boots instead of what was restored gets its time."""
    seen: list[LabProgress] = []

    def note(step: LabProgress) -> None:
        seen.append(step)
        if has_message(BOOTING_INSTEAD)(step.text):
            labs.wait_for_a_boot(WAIT_S)
            on_booting()

    labs.up(LabSpec("one"), token=CancelToken(), on_progress=note, is_owned=True, is_cold=is_cold)
    labs.down("one")
    return [f"{step.stage}: {step.text}" for step in seen]


def has(reported: list[str], what: str | MessageForm, **data: object) -> bool:
    form_text = what if isinstance(what, str) else what.text
    return any(shows(line, form_text, **data) for line in reported)


def test_a_gateway_boots_once_and_is_restored_from_then_on(labs: PretendedLabs, tmp_path: Path) -> None:
    first = start(labs)
    (saved,) = machines(tmp_path)
    assert sorted(path.name for path in saved.iterdir()) == ["disk.qcow2", "manifest.json", "memory"]
    assert has(first, f"save: {SAVING_BOOTED()}")
    assert has(first, RESTORING_GATEWAYS)
    second = start(labs)
    assert has(second, RESTORING_GATEWAYS)
    assert not has(second, "save:")
    assert machines(tmp_path) == [saved]


def test_gateways_with_and_without_nodes_and_nodes_are_saved_beside_each_other(
    labs: PretendedLabs, tmp_path: Path
) -> None:
    start(labs)
    labs.up(LabSpec("two", has_nodes=True), token=CancelToken(), on_progress=lambda _: None, is_owned=True)
    labs.down("two")
    assert [one.name.rpartition("-")[0] for one in machines(tmp_path)] == ["aes", "aes-lan", "aes-node"]
    assert not has(start(labs), "save:")


def test_a_cold_start_neither_saves_nor_restores(labs: PretendedLabs, tmp_path: Path) -> None:
    reported = start(labs, is_cold=True)
    assert not has(reported, "save:")
    assert not has(reported, RESTORING_GATEWAYS)
    assert not (tmp_path / "cache/lab/debian-13/machines").exists()


def test_a_damaged_one_is_made_anew(labs: PretendedLabs, tmp_path: Path) -> None:
    start(labs)
    (saved,) = machines(tmp_path)
    (saved / "memory").chmod(0o644)
    (saved / "memory").write_bytes(b"cut")
    assert has(start(labs), f"save: {SAVING_BOOTED()}")
    assert (saved / "memory").read_bytes() != b"cut"


def test_where_nothing_can_be_saved_the_gateways_boot(labs: PretendedLabs, tmp_path: Path) -> None:
    labs.behave("unsaveable")
    reported = start(labs)
    assert has(reported, BOOTING_INSTEAD(why="this device cannot be saved."))
    assert machines(tmp_path) == []


def test_one_that_cannot_be_restored_is_discarded_and_the_gateways_boot(labs: PretendedLabs, tmp_path: Path) -> None:
    start(labs)
    labs.behave("unrestorable")
    reported = start(labs)
    assert has(reported, "load of migration failed")
    assert has(reported, BOOTING_INSTEAD)
    assert machines(tmp_path) == []
    labs.behave("works")
    assert has(start(labs), f"save: {SAVING_BOOTED()}")


def test_one_that_is_restored_and_never_comes_up_is_discarded_and_the_gateways_boot(
    labs: PretendedLabs, tmp_path: Path
) -> None:
    start(labs)
    labs.behave("speechless")
    labs.wait_for_a_boot(0.5)
    reported = start(labs)
    assert has(reported, GATEWAYS_TOO_SLOW, seconds=0.5)
    assert has(reported, BOOTING_INSTEAD)
    assert has(reported, f"boot: {WAITING_FOR_LOGIN(ready=2, number=2)}")
    assert not any("are up)" in one for one in reported), "it would read as a step back after “2 of 2 have booted”"
    assert reported[-1] == f"login: {GATEWAYS_UP()}"
    assert machines(tmp_path) == []


def test_one_that_is_restored_and_takes_no_identity_is_discarded_and_the_gateways_boot(
    labs: PretendedLabs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(labs)
    labs.behave("deaf")
    monkeypatch.setattr(boot, "SEND_TIMEOUT_S", 1.0)
    reported = start(labs, on_booting=lambda: monkeypatch.setattr(boot, "SEND_TIMEOUT_S", WAIT_S))
    assert has(reported, GATEWAYS_TOO_SLOW, seconds=1.0)
    assert has(reported, BOOTING_INSTEAD)
    assert machines(tmp_path) == []


def test_a_program_that_is_missing_does_not_discard_it(
    labs: PretendedLabs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(labs)
    saved = machines(tmp_path)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "ssh" else name)
    with pytest.raises(LabFault, check=has_message(LAB_PROGRAM_MISSING, program="ssh")):
        start(labs)
    assert machines(tmp_path) == saved


def test_another_version_of_qemu_makes_its_own_and_removes_the_old_one(
    labs: PretendedLabs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(labs)
    (old,) = machines(tmp_path)
    qemu = tmp_path / "bin/qemu-system-x86_64"
    qemu.write_text(qemu.read_text().replace("version 0", "version 1"))
    assert has(start(labs), f"save: {SAVING_BOOTED()}")
    (new,) = machines(tmp_path)
    assert new != old


def test_one_that_a_lab_runs_on_is_kept(labs: PretendedLabs, tmp_path: Path) -> None:
    up(labs)
    (old,) = machines(tmp_path)
    qemu = tmp_path / "bin/qemu-system-x86_64"
    qemu.write_text(qemu.read_text().replace("version 0", "version 1"))
    up(labs, "two")
    labs.down("two")
    assert old in machines(tmp_path)
    labs.down("one")


def test_too_little_space_for_saving_is_no_obstacle(labs: PretendedLabs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_module, "_NEEDED_BYTES", 1 << 60)
    reported = start(labs)
    assert has(reported, SPACE_TOO_LITTLE)
    assert has(reported, SAVING_GATEWAY)


def test_a_disk_that_is_full_while_saving_is_no_obstacle(
    labs: PretendedLabs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(folder: Path, _names: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(folder))

    monkeypatch.setattr(saved_module, "write_manifest", write)
    reported = start(labs)
    assert has(reported, DISK_FULL_WHILE)
    assert has(reported, SAVING_GATEWAY)
    assert has(reported, BOOTING_INSTEAD)
    assert machines(tmp_path) == []


def test_cancelling_while_a_machine_is_saved_leaves_nothing(labs: PretendedLabs, tmp_path: Path) -> None:
    labs.behave("silent")
    token = CancelToken()
    with pytest.raises(Cancelled):
        labs.up(LabSpec("one"), token=token, on_progress=lambda _: token.cancel(), is_owned=True)
    assert machines(tmp_path) == []
    assert not (tmp_path / "labs").exists() or list((tmp_path / "labs").iterdir()) == []


def test_what_gateways_are_given_later_is_not_saved(labs: PretendedLabs, tmp_path: Path) -> None:
    lab = up(labs)
    values = [secret.value.encode() for secret in lab.passwords().values()]
    values += [(lab.folder / f"host-key-{side}").read_bytes() for side in Side]
    kept = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file())
    labs.down("one")
    assert values
    assert not any(value in kept for value in values)


def test_a_link_is_taken_down_and_up_at_both_hosts(labs: PretendedLabs, tmp_path: Path) -> None:
    lab = up(labs)
    labs.relink("one")
    for side in Side:
        lines = (lab.folder / f"console-{side}.log").read_text().splitlines()
        assert [line for line in lines if line.startswith("link")] == [
            "link {'name': 'underlay', 'up': False}",
            "link {'name': 'underlay', 'up': True}",
        ]
    labs.down("one")
    assert_nothing_is_left(tmp_path / "labs")
    with pytest.raises(NotFound):
        labs.relink("one")
