"""Settings of controllers in words."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.controllers import ETHERNET_IP_FACTOR, PROFINET_FACTOR, Arrivals, ControllerAdvice, ControllerSetting
from app.wording.language import mark, tr
from app.wording.numbers import grouped, milliseconds

CONTROLLER_COLUMNS = (mark("Protocol"), mark("Setting"), mark("Smallest safe value"), mark("Assumes"))
"""Head of the table of controllers' settings."""

_WORDS = {
    ControllerSetting.PROFINET: (
        "PROFINET RT",
        mark("Update time"),
        mark("watchdog factor {factor}, as tools propose it"),
    ),
    ControllerSetting.ETHERNET_IP: (
        "EtherNet/IP",
        "RPI",
        mark("connection timeout multiplier {factor}, the least"),
    ),
    ControllerSetting.MODBUS: (
        "Modbus/TCP",
        mark("Response time-out"),
        mark("TCP sends a lost segment again after 200 ms, then 400"),
    ),
    ControllerSetting.OPC_UA: (
        "OPC UA (TCP)",
        mark("Operation time-out"),
        mark("the same; without the server's own time"),
    ),
}
_FACTORS = {ControllerSetting.PROFINET: PROFINET_FACTOR, ControllerSetting.ETHERNET_IP: ETHERNET_IP_FACTOR}


def controller_rows(advice: Sequence[ControllerAdvice]) -> tuple[tuple[str, str, str, str], ...]:
    """Return a row per setting for a table, in the order of `CONTROLLER_COLUMNS`."""
    rows = []
    for one in advice:
        protocol, setting, assumes = _WORDS[one.setting]
        value = f"{grouped(one.value_ms)} ms" if one.value_ms is not None else tr("none of those offered")
        words = tr(assumes).format(factor=_FACTORS.get(one.setting))
        rows.append((protocol, tr(setting), value, words))
    return tuple(rows)


def controller_note(found: Arrivals) -> str:
    """Return what the smallest safe values rest on, as a sentence."""
    lost = tr("none lost")
    if found.lost_in_a_row:
        lost = tr("{number} lost in a row at most").format(number=grouped(found.lost_in_a_row))
    return tr(
        "From {replies} replies to frames of up to 128 bytes: {least} to {most}, "
        "{lost}. Leave room for rarer delays, and for outages after a failure."
    ).format(
        replies=grouped(found.replies),
        least=milliseconds(found.least_ms),
        most=milliseconds(found.most_ms),
        lost=lost,
    )
