"""Quality of a telephone call by the E-model: rating R and mean opinion score from delay and loss.

Source: ITU-T G.107 (06/2015), clauses 7.1 to 7.7 and annex B, with the default values of table 2 for all that is not a
parameter here; the equations are numbered as there. G.711 with packet loss concealment: ITU-T G.113 (11/2007),
appendix I, tables I.1 and I.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SLR, RLR, STMR, DS, TELR, WEPL, QDU = 8.0, 2.0, 15.0, 3.0, 65.0, 110.0, 1.0
NC, NFOR, PS, PR, DR = -70.0, -64.0, 35.0, 35.0, 3.0
"""Defaults of G.107, table 2, in dB, dBm0p and dB(A)."""

G711_IE, G711_BPL = 0.0, 25.1
"""Equipment impairment and robustness against loss of G.711 with concealment. Source: G.113, appendix I."""


@dataclass(frozen=True, slots=True)
class Speech:
    """Quality of one direction of a call.

    Attributes:
        rating: Transmission rating factor R, 0 to 100; 93.2 without any impairment of the network.
        mos: Mean opinion score, 1 to 4.5.
    """

    rating: float
    mos: float


def speech_quality(delay_ms: float, loss_pct: float, *, burst_ratio: float = 1.0) -> Speech:
    """Return the quality of a call.

    Args:
        delay_ms: One-way delay from mouth to ear.
        loss_pct: Packets lost or too late, in percent.
        burst_ratio: Mean length of a run of lost packets over that of independent losses; 1 for independent ones.
    """
    noise = _noise()
    ro = 15.0 - 1.5 * (SLR + noise)  # 7-3
    loss = G711_IE
    if loss_pct > 0:
        loss += (95.0 - G711_IE) * loss_pct / (loss_pct / burst_ratio + G711_BPL)  # 7-29
    rating = ro - _simultaneous(ro, noise, delay_ms) - _delay(ro, noise, delay_ms) - loss  # 7-1
    return Speech(rating, mean_opinion_score(rating))


def mean_opinion_score(rating: float) -> float:
    """Return the mean opinion score of a rating. Source: G.107, equation B-4."""
    if rating <= 0:
        return 1.0
    if rating >= 100:
        return 4.5
    return max(1.0, 1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6)


def _noise() -> float:
    """Return No, the power of all noise in dBm0p. Equations 7-4 to 7-8."""
    olr = SLR + RLR
    nos = PS - SLR - DS - 100.0 + 0.004 * (PS - olr - DS - 14.0) ** 2
    pre = PR + 10.0 * math.log10(1.0 + 10.0 ** ((10.0 - (STMR + DR)) / 10.0))
    nor = RLR - 121.0 + pre + 0.008 * (pre - 35.0) ** 2
    parts = (NC, nos, nor, NFOR + RLR)
    return 10.0 * math.log10(sum(10.0 ** (part / 10.0) for part in parts))


def _simultaneous(ro: float, noise: float, delay_ms: float) -> float:
    """Return Is: loudness, sidetone, quantising. Equations 7-9 to 7-17."""
    xolr = SLR + RLR + 0.2 * (64.0 + noise - RLR)
    iolr = 20.0 * ((1.0 + (xolr / 8.0) ** 8) ** (1 / 8) - xolr / 8.0)
    stmro = -10.0 * math.log10(10.0 ** (-STMR / 10.0) + math.exp(-delay_ms / 4.0) * 10.0 ** (-TELR / 10.0))
    ist = (
        12.0 * (1.0 + ((stmro - 13.0) / 6.0) ** 8) ** (1 / 8)
        - 28.0 * (1.0 + ((stmro + 1.0) / 19.4) ** 35) ** (1 / 35)
        - 13.0 * (1.0 + ((stmro - 3.0) / 33.0) ** 13) ** (1 / 13)
        + 29.0
    )
    q = 37.0 - 15.0 * math.log10(QDU)
    g = 1.07 + 0.258 * q + 0.0602 * q**2
    y, z = (ro - 100.0) / 15.0 + 46.0 / 8.4 - g / 9.0, 46.0 / 30.0 - g / 40.0
    return float(iolr + ist + 15.0 * math.log10(1.0 + 10.0**y + 10.0**z))


def _delay(ro: float, noise: float, delay_ms: float) -> float:
    """Return Id: echo of talker and listener, and delay itself. Equations 7-18 to 7-28."""
    growth = (1.0 + delay_ms / 10.0) / (1.0 + delay_ms / 150.0)
    terv = TELR - 40.0 * math.log10(growth) + 6.0 * math.exp(-0.3 * delay_ms**2)
    roe, re = -1.5 * (noise - RLR), 80.0 + 2.5 * (terv - 14.0)
    talker = ((roe - re) / 2 + math.sqrt((roe - re) ** 2 / 4 + 100.0) - 1.0) * (1.0 - math.exp(-delay_ms))
    rle = 10.5 * (WEPL + 7.0) * (2.0 * delay_ms + 1.0) ** -0.25
    listener = (ro - rle) / 2 + math.sqrt((ro - rle) ** 2 / 4 + 169.0)
    return float(talker + listener + _absolute(delay_ms))


def _absolute(delay_ms: float) -> float:
    """Return Idd. Equations 7-27 and 7-28 with the default sensitivity to delay."""
    if delay_ms <= 100.0:
        return 0.0
    x = math.log2(delay_ms / 100.0)
    return float(25.0 * ((1.0 + x**6) ** (1 / 6) - 3.0 * (1.0 + (x / 3.0) ** 6) ** (1 / 6) + 2.0))
