"""Labels in figures of reports, as matplotlib places them."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from app.reports.drawing import draw_beside, draw_end_labels, height_for, new_axes, room_for, settings
from app.reports.svg import PAGE, _round, to_svg

NAMES = ("OpenSSH tap\nforwarding", "tinc", "WireGuard with\nVXLAN", "WireGuard with\nL2TPv3", "IPsec with\nGRE") * 2


def boxes(figure: Figure, names: tuple[str, ...]) -> list[Bbox]:
    figure.draw_without_rendering()
    found = [one for one in figure.axes[0].texts if isinstance(one, Annotation)]
    assert [one.get_text() for one in found] == list(names)
    return [Text.get_window_extent(one) for one in found]  # without the line that leads to it


def test_labels_of_many_curves_are_whole_and_apart() -> None:
    with settings():
        figure, axes = new_axes(PAGE, right=room_for(NAMES), height_in=height_for(NAMES))
        axes.set_ylim(0, 1)
        draw_end_labels(axes, [(1.0, 0.98 - nth / 100, name, "#0072B2") for nth, name in enumerate(NAMES)], PAGE)
        found = boxes(figure, NAMES)
    assert max(box.y1 for box in found) <= figure.bbox.y1
    assert min(box.y0 for box in found) >= figure.bbox.y0
    assert max(box.x1 for box in found) <= figure.bbox.x1
    for upper, lower in itertools.pairwise(found):
        assert lower.y1 <= upper.y0 + 1.0


def test_labels_that_are_far_beside_each_other_remain_at_their_points() -> None:
    names = ("Bare underlay", "tinc", "ssh")
    with settings():
        figure, axes = new_axes(PAGE, right=0.97)
        axes.set_xlim(0, 10)
        axes.set_ylim(0, 1)
        draw_beside(axes, [(1.0, 0.5, names[0]), (8.0, 0.5, names[1]), (8.1, 0.51, names[2])], PAGE)
        bare, tinc, ssh = boxes(figure, names)
        point = float(axes.transData.transform((1.0, 0.5))[1])
    assert abs((bare.y0 + bare.y1) / 2 - point) < 2.0
    assert ssh.y0 >= tinc.y1 - 1.0


def test_places_are_written_with_two_decimals_and_texts_as_they_are() -> None:
    with settings():
        figure, axes = new_axes(PAGE, right=0.97)
        axes.plot([1 / 3, 2 / 3, 5 / 7], [1 / 7, 6 / 7, 1 / 3])
        axes.set_title("TLS 1.23456")
        text = to_svg(figure, name="thirds", description="Thirds", theme=PAGE)
    root = ET.fromstring(text)  # noqa: S314 - our own
    places = [element.attrib[key] for element in root.iter() for key in ("d", "x", "y") if key in element.attrib]
    assert any(re.search(r"\d\.\d\d\b", one) for one in places)
    assert not any(re.search(r"\.\d\d\d", one) for one in places)
    assert "TLS 1.23456" in text


def test_scales_keep_all_decimals() -> None:
    root = ET.Element("g", transform="translate(1.23456 -7.89123) scale(0.015625 -0.001)", d="M 1.23456 2")
    _round(root)
    assert root.attrib == {"transform": "translate(1.23 -7.89) scale(0.015625 -0.001)", "d": "M 1.23 2"}
