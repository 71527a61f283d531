"""Results of a study on a pair, kept in a file of their own, so that a run goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from app.domain.atomic import NO_SPACE, replace_file
from app.domain.conditions import MeasuredCondition, Quantity
from app.domain.errors import DiskFull, InvalidFile, StorageFault
from app.domain.pair_names import LAB_PREFIX
from app.domain.topology import NodeKind, Topology
from app.domain.transfers import CONGESTION, TransferCell, TransferResult
from app.storage.messages import RESULTS_NOT_RENAMED
from app.storage.study_files import R, ResultsByKey, read_study

FORMAT = 1
"""Raised when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class StudyResults(ResultsByKey):
    """Results so far.

    Attributes:
        study: Name of the study.
        pair: Name of the pair.
        version: Tunnelmark's version that measured last.
        size_bytes: Bytes of a transfer.
        results: In the order of measuring, one per cell.
        rtt_ms: Round-trip time of the bare link in ms by condition, as it was measured.
        format: Format of the file.
        afresh: Cells that are to be measured again; a time that they have is of an earlier run.
        nodes: Kind of the nodes behind the hosts.
        machines: Hosts and nodes that were measured, as `PairSpec.machines`; none in files of earlier versions.
    """

    study: str
    pair: str
    version: str
    size_bytes: int
    results: tuple[TransferResult, ...] = ()
    rtt_ms: dict[str, float] | None = None
    format: int = FORMAT
    afresh: tuple[TransferCell, ...] = ()
    nodes: NodeKind = NodeKind.NAMESPACES
    machines: tuple[str, ...] = ()

    def times_s(self) -> dict[TransferCell, float]:
        """Return the transfer times in s of the cells that ended undisturbed, between nodes behind the hosts."""
        return {one.cell: one.seconds for one in self.results if one.seconds is not None and self.is_whole(one)}

    def failed(self) -> dict[TransferCell, str]:
        """Return why transfers did not end, or do not count, by cell; without those whose condition was missed."""
        return {
            one.cell: one.message
            for one in self.results
            if (one.seconds is None or one.is_disturbed) and not one.is_condition_missed
        }

    @staticmethod
    def key_of(result: TransferResult) -> TransferCell:
        """Return the cell."""
        return result.cell

    @staticmethod
    def is_whole(result: TransferResult) -> bool:
        """Return whether a transfer ended undisturbed under its condition, between nodes behind the hosts."""
        is_between_nodes = result.topology is Topology.ROUTED_NODES
        is_undisturbed = not (result.is_disturbed or result.is_condition_missed)
        return result.seconds is not None and is_between_nodes and is_undisturbed and _has_its_congestion(result)

    def with_condition(self, found: MeasuredCondition) -> StudyResults:
        """Return them with the round-trip time of a condition that was met."""
        rtt_ms = next((one.measured for one in found.checks if one.quantity is Quantity.RTT), None)
        return self if rtt_ms is None or not found.is_met else self.with_rtt(found.name, rtt_ms)

    def with_rtt(self, condition: str, rtt_ms: float) -> StudyResults:
        """Return them with the round-trip time that was measured under a condition."""
        return replace(self, rtt_ms={**(self.rtt_ms or {}), condition: rtt_ms})


def _has_its_congestion(result: TransferResult) -> bool:
    """Return whether sender and proxy had the congestion control of the cell, as far as they reported one.

    Earlier versions stored transfers with another one as results.
    """
    kind = CONGESTION.get(result.cell.congestion)
    if kind is None:  # a cell of another version
        return True
    is_senders = result.congestion in ("", kind.sender)
    return is_senders and result.proxy_congestion in ("", kind.proxy or kind.gateways)


def nodes_dir(folder: Path, nodes: NodeKind) -> Path:
    """Return the folder of results with a kind of nodes: those with another kind are not mixed with them."""
    return folder if nodes is NodeKind.NAMESPACES else folder / nodes.value


def results_file(folder: Path, study: str, pair: str) -> Path:
    """Return the file of a study's results on a pair."""
    return folder / f"{study}{_ending(pair)}"


def _ending(pair: str) -> str:
    """Return the end of the names of a pair's files, which no other pair has: `plant_1` and `plant-1` are two."""
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", pair).strip("-")
    is_plain = pair.startswith(LAB_PREFIX) or (name == pair and not name.startswith("lab-"))
    mark = "" if is_plain else f"-{hashlib.sha256(pair.encode()).hexdigest()[:8]}"
    return f"-{name}{mark}.json"


def former_file(file: Path, machines: tuple[str, ...]) -> Path:
    """Return where results on machines are kept while a pair's name, and so the file, is that of others."""
    mark = hashlib.sha256("\n".join(machines).encode()).hexdigest()[:8]
    return file.parent / f"of-{mark}" / file.name


def load_own(file: Path, machines: tuple[str, ...], load: Callable[[Path], R | None]) -> R | None:
    """Read a pair's results on the machines that it has now; None where there are none.

    Raises:
        InvalidFile: The file cannot be read.
    """
    return _of_machines(file, load(file), machines, load)


def _of_machines(file: Path, found: R | None, machines: tuple[str, ...], load: Callable[[Path], R | None]) -> R | None:
    """Return what a file holds where that is of the machines; else what is kept of them beside it."""
    if found is not None and found.is_of(machines):
        return found
    return load(former_file(file, machines)) if machines else None


def own_loader(
    load: Callable[[Path], R | None], machines_of: Callable[[str], tuple[str, ...]]
) -> Callable[[Path], R | None]:
    """Return a reader of files that reads what there is on the machines that the file's pair has now.

    Args:
        machines_of: Returns the machines of a pair.
    """

    def read(file: Path) -> R | None:
        found = load(file)
        return None if found is None else _of_machines(file, found, machines_of(found.pair), load)

    return read


def separate_results(file: Path, machines: tuple[str, ...], load: Callable[[Path], R | None]) -> Path | None:
    """Give a file to results on the machines that a pair has now: to those that there are already, or to new ones.

    Returns:
        Where the results on other machines, which the file had, are now; None where it had none.
    """
    found, kept = load(file), None
    if found is not None and not found.is_of(machines):
        kept = _free(former_file(file, found.machines))
        kept.parent.mkdir(parents=True, exist_ok=True)
        file.replace(kept)
    before = former_file(file, machines)
    if machines and before.exists() and not file.exists():
        before.replace(file)
    return kept


def _free(file: Path) -> Path:
    """Return a file that there is not yet, in a folder with a number where there is one."""
    free, number = file, 1
    while free.exists():
        number += 1
        free = file.parent.with_name(f"{file.parent.name}-{number}") / file.name
    return free


_REMOVED = "of-removed"
"""Folder of results on pairs that were removed, of whose name another pair is now."""


@contextmanager
def renamed_results(folder: Path, old: str, new: str) -> Iterator[None]:
    """Give the results of studies on a pair its new name, where the block that renames the pair does not fail.

    They are written under the new name before, and go under the old one afterwards. What a removed pair has left under
    the new one is moved into a folder beside it; what is unreadable remains.

    Args:
        folder: That of all studies.

    Raises:
        DiskFull, StorageFault: They cannot be written; the block is not entered.
    """
    written: dict[Path, Path] = {}
    moved: dict[Path, Path] = {}
    try:
        try:
            for file, target, content in _to_rename(folder, old, new):
                if target.exists():
                    apart = _free(target.parent / _REMOVED / target.name)
                    apart.parent.mkdir(parents=True, exist_ok=True)
                    target.replace(apart)
                    moved[target] = apart
                written[file] = target
                replace_file(target, content)
        except OSError as error:
            kind = DiskFull if error.errno in NO_SPACE else StorageFault
            raise kind(RESULTS_NOT_RENAMED(pair=old, folder=folder, reason=error.strerror or error)) from error
        yield
    except BaseException:
        for target in written.values():
            target.unlink(missing_ok=True)
        for target, apart in moved.items():
            apart.replace(target)
        raise
    for file in written:
        with suppress(OSError):  # the pair is renamed; the copy is of a pair that is not there
            file.unlink(missing_ok=True)


def _to_rename(folder: Path, old: str, new: str) -> Iterator[tuple[Path, Path, bytes]]:
    """Yield each file of results on a pair, with its name and content once the pair is called otherwise."""
    for file in sorted(folder.rglob(f"*{_ending(old)}")):
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        target = file.with_name(f"{file.name.removesuffix(_ending(old))}{_ending(new)}")
        if isinstance(found, dict) and found.get("pair") == old:
            yield file, target, f"{json.dumps({**found, 'pair': new}, indent=2)}\n".encode()


def load_results(file: Path) -> StudyResults | None:
    """Read results; None where there are none.

    Raises:
        InvalidFile: The file cannot be read.
    """
    return read_study(file, StudyResults, known=FORMAT)


def stored_results(folder: Path, study: str) -> tuple[tuple[StudyResults, ...], tuple[InvalidFile, ...]]:
    """Return what is stored of a study, by the pairs' names, and why other files of it cannot be read.

    Results of a pair with each kind of nodes are results of their own.
    """
    return read_kinds(folder, study, load_results)


def read_kinds(
    folder: Path, prefix: str, load: Callable[[Path], R | None]
) -> tuple[tuple[R, ...], tuple[InvalidFile, ...]]:
    """Return what files of results hold with each kind of nodes, and why others cannot be read.

    Args:
        folder: That of all studies.
        prefix: Beginning of the files' names.
        load: Reads one of them.

    Returns:
        Results by the pairs' names, of a pair those between namespaces first; their folder says what the nodes were.
    """
    found: list[R] = []
    faults: list[InvalidFile] = []
    for kind in NodeKind:
        read: tuple[tuple[R, ...], tuple[InvalidFile, ...]] = read_all(nodes_dir(folder, kind), prefix, load)
        found += [replace(one, nodes=kind) for one in read[0]]
        faults += read[1]
    return tuple(sorted(found, key=lambda one: one.pair)), tuple(faults)


def read_all(
    folder: Path, prefix: str, load: Callable[[Path], R | None]
) -> tuple[tuple[R, ...], tuple[InvalidFile, ...]]:
    """Return what files of results hold, by the pairs' names, and why others cannot be read.

    Args:
        prefix: Beginning of their names: the study, and its part where each has files of its own.
        load: Reads one of them.
    """
    found: list[R] = []
    faults = []
    for file in sorted(folder.glob(f"{prefix}-*.json")):
        try:
            results = load(file)
        except InvalidFile as fault:
            faults.append(fault)
        else:
            found += [results] if results is not None else []
    return tuple(sorted(found, key=lambda one: one.pair)), tuple(faults)
