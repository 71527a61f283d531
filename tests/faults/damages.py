"""Damage to the files that start a deployment with its host, and the outcome that each must have."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from faults.fields import void


class Fate(StrEnum):
    """Required behaviour of a host that starts with damaged files. The values are outcomes in the table."""

    REFUSED = "not started"
    """It starts nothing, removes nothing and says why."""
    SILENT = "not started, named by status"
    """It starts nothing and removes nothing; what would say why is itself damaged."""
    FAILING = "not up, named by status"
    """The steps fail, again and again; nothing is removed but what they made."""
    REMOVED = "removed, repaired"
    """It takes the deployment for one that was never confirmed, and removes its slot; a repair makes it again."""
    STARTED = "started"
    """Nothing that is damaged is needed."""


@dataclass(frozen=True)
class Damage:
    """One kind of damage.

    Attributes:
        make: Makes it, in the slot's folder, for the deployment with that name.
        named: What has to be named as damaged, below the slot's folder; `ID` stands for the deployment.
        fate: What has to become of it.
        costs_times: Whether it loses when folders below /etc had been changed before: only that is not restored then.
    """

    make: Callable[[Path, str], None]
    named: str
    fate: Fate = Fate.REFUSED
    costs_times: bool = False


def _write(name: str, text: str) -> Callable[[Path, str], None]:
    return lambda slot, one: void(_in(slot, name, one).write_text(text))


def _lose(name: str) -> Callable[[Path, str], None]:
    def lose(slot: Path, one: str) -> None:
        path = _in(slot, name, one)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    return lose


def _cut(name: str) -> Callable[[Path, str], None]:
    def cut(slot: Path, one: str) -> None:
        path = _in(slot, name, one)
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])

    return cut


def _change(name: str, before: str, after: str) -> Callable[[Path, str], None]:
    def change(slot: Path, one: str) -> None:
        path = _in(slot, name, one)
        text = path.read_text()
        assert before in text, f"{name} has no {before!r}"
        path.write_text(text.replace(before, after, 1))

    return change


def _zeros(name: str) -> Callable[[Path, str], None]:
    def zeros(slot: Path, one: str) -> None:
        path = _in(slot, name, one)
        path.write_bytes(bytes(path.stat().st_size))

    return zeros


def _lose_marks(slot: Path, _one: str) -> None:
    for name in ("current", "confirmed"):
        (slot / name).unlink()


def _empty_all(slot: Path, _one: str) -> None:
    for path in files_below(slot):
        path.write_bytes(b"")


def _empty_folder(slot: Path, one: str) -> None:
    for path in files_below(slot / one):
        path.write_bytes(b"")


def files_below(folder: Path) -> Iterable[Path]:
    """Return the regular files below a folder."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]


def _in(slot: Path, name: str, one: str) -> Path:
    return slot / name.replace("ID", one)


_SCRIPTS = ("about.sh", "steps.sh", "lasting.sh")
_CONFIG = "ID/kept/openvpn.conf"
DAMAGES: dict[str, Damage] = {
    "current empty": Damage(_write("current", ""), "current"),
    "current names a path": Damage(_write("current", "../../../home\n"), "current"),
    "current cut": Damage(_cut("current"), "current"),
    "current names another": Damage(_write("current", "0123456789abcdef\n"), "0123456789abcdef"),
    "current gone": Damage(_lose("current"), "current"),
    "current and confirmed gone": Damage(_lose_marks, "current", Fate.REMOVED),
    "confirmed gone": Damage(_lose("confirmed"), "", Fate.STARTED),
    "start.sh empty": Damage(_write("start.sh", ""), "start.sh", Fate.SILENT),
    "start.sh cut": Damage(_cut("start.sh"), "start.sh", Fate.SILENT),
    "start.sh gone": Damage(_lose("start.sh"), "start.sh", Fate.SILENT),
    **{f"{name} empty": Damage(_write(f"ID/{name}", ""), f"ID/{name}") for name in _SCRIPTS},
    **{f"{name} cut": Damage(_cut(f"ID/{name}"), f"ID/{name}") for name in _SCRIPTS},
    **{f"{name} gone": Damage(_lose(f"ID/{name}"), f"ID/{name}") for name in _SCRIPTS},
    **{f"{name} all zeros": Damage(_zeros(f"ID/{name}"), f"ID/{name}") for name in _SCRIPTS},
    "about.sh changed": Damage(_change("ID/about.sh", "run_dir=", "run_dir=/home #"), "ID/about.sh"),
    "lasting.sh changed": Damage(_change("ID/lasting.sh", "umask 077", "rm -rf /home/*"), "ID/lasting.sh"),
    "sums empty": Damage(_write("ID/sums", ""), "ID/sums"),
    "sums cut": Damage(_write("ID/sums", "00"), "ID/about.sh"),
    "sums gone": Damage(_lose("ID/sums"), "ID/sums"),
    "folder gone": Damage(_lose("ID"), "ID"),
    "folder's files empty": Damage(_empty_folder, "ID/about.sh"),
    "all files empty": Damage(_empty_all, "current", Fate.SILENT, costs_times=True),
    "configuration empty": Damage(_write(_CONFIG, ""), _CONFIG, Fate.FAILING),
    "configuration gone": Damage(_lose(_CONFIG), _CONFIG, Fate.FAILING),
    "times gone": Damage(_lose("times"), "", Fate.STARTED, costs_times=True),
}
"""By what they are called in the table."""
