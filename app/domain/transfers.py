"""File transfers over a link under a condition, cell by cell of a study's table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class TransferCell:
    """One cell: condition, congestion control of the sender, VPN, place of a proxy.

    Attributes:
        condition: Name of the link's condition, as `app.domain.condition_files.presets`.
        congestion: As the study names it: `cubic-no-hystart`, `cubic-hystart` or `bbr2`.
        solution: `none`, or the VPN's solution.
        proxy: Where a performance-enhancing proxy splits connections: `none`, `A` or `B`, as in the study.
    """

    condition: str
    congestion: str
    solution: str
    proxy: str


@dataclass(frozen=True, slots=True)
class TransferResult:
    """A transfer that was made.

    Attributes:
        cell: Which.
        seconds: From the first byte asked for to the last one received, in s; None where it did not end in time.
        received_bytes: Bytes that arrived.
        retransmits: Segments that the sender sent again; None where it did not report them.
        congestion: Algorithm that the sender reported.
        message: Why it did not end; empty where it did.
    """

    cell: TransferCell
    seconds: float | None
    received_bytes: int
    retransmits: int | None = None
    congestion: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of the order of own cells with that of the published ones.

    Attributes:
        pairs: Pairs of cells that both have, and that differ by more than 5 % in the published table.
        same: Those of them that come out in the same order.
        correlation: Spearman's rank correlation of the cells; None with fewer than three.
        against: Pairs that come out in the other order, the published difference largest first.
    """

    pairs: int
    same: int
    correlation: float | None
    against: tuple[tuple[TransferCell, TransferCell], ...]
