"""Values of the domain from plain data, by way of the JSON that is stored."""

from __future__ import annotations

import json
from typing import TypeVar

from app.storage.codec import from_json

T = TypeVar("T")


def from_data(cls: type[T], data: object, *, what: str = "") -> T:
    """Return the value that `to_data` made plain."""
    return from_json(cls, json.dumps(data), what=what)
