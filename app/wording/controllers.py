"""Settings of controllers in words."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.controllers import ETHERNET_IP_FACTOR, PROFINET_FACTOR, Arrivals, ControllerAdvice, ControllerSetting
from app.wording.numbers import grouped, milliseconds

CONTROLLER_COLUMNS = ("Protocol", "Setting", "Smallest safe value", "Assumes")
"""Head of the table of controllers' settings."""

_WORDS = {
    ControllerSetting.PROFINET: (
        "PROFINET RT",
        "Update time",
        f"watchdog factor {PROFINET_FACTOR}, as tools propose it",
    ),
    ControllerSetting.ETHERNET_IP: (
        "EtherNet/IP",
        "RPI",
        f"connection timeout multiplier {ETHERNET_IP_FACTOR}, the least",
    ),
    ControllerSetting.MODBUS: (
        "Modbus/TCP",
        "Response time-out",
        "TCP sends a lost segment again after 200 ms, then 400",
    ),
    ControllerSetting.OPC_UA: ("OPC UA (TCP)", "Operation time-out", "the same; without the server's own time"),
}


def controller_rows(advice: Sequence[ControllerAdvice]) -> tuple[tuple[str, str, str, str], ...]:
    """Return a row per setting for a table, in the order of `CONTROLLER_COLUMNS`."""
    rows = []
    for one in advice:
        protocol, setting, assumes = _WORDS[one.setting]
        value = f"{grouped(one.value_ms)} ms" if one.value_ms is not None else "none of those offered"
        rows.append((protocol, setting, value, assumes))
    return tuple(rows)


def controller_note(found: Arrivals) -> str:
    """Return what the smallest safe values rest on, as a sentence."""
    lost = f"{grouped(found.lost_in_a_row)} lost in a row at most" if found.lost_in_a_row else "none lost"
    return (
        f"From {grouped(found.replies)} replies to frames of up to 128 bytes: {milliseconds(found.least_ms)} to "
        f"{milliseconds(found.most_ms)}, {lost}. Leave room for rarer delays, and for outages after a failure."
    )
