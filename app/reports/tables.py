"""Tables of HTML reports: roles that last whatever the style makes of them, and each cell's heading."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

from markupsafe import escape

_TAG = re.compile(r"<(/?)(table|thead|tbody|tr|th|td)\b([^>]*)>")
_ANY_TAG = re.compile(r"<[^>]*>")
_COLUMNS = re.compile(r'colspan="(\d+)"')
_ROLES = {"table": "table", "thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "td": "cell"}
_SCOPES = {"col": "columnheader", "row": "rowheader", "rowgroup": "rowheader"}


def with_roles(html: str) -> str:
    """Return a page whose tables have ARIA roles, also where a narrow screen shows their rows as cards.

    A browser forgets that an element is a table, a row or a cell as soon as CSS gives it another `display`; an ARIA
    role remains. `data-label` holds the heading of the column, for cards.

    Source: WAI-ARIA 1.2, roles table, rowgroup, row, columnheader, rowheader and cell; HTML Accessibility API Mappings
    1.0, section 4.1.

    Args:
        html: A page of our templates: text in it is escaped, so that each tag is one of the template's.
    """
    state = _State()
    return _TAG.sub(lambda match: state.tag(match, html), html)


@dataclass
class _State:
    headings: list[str] = field(default_factory=list)
    is_in_head: bool = False
    column: int = 0

    def tag(self, match: re.Match[str], html: str) -> str:
        end, name, attributes = match.groups()
        if end:
            self.is_in_head = self.is_in_head and name != "thead"
            return match[0]
        label = ""
        if name == "table":
            self.headings = []
        elif name == "thead":
            self.is_in_head = True
        elif name == "tr":
            self.column = 0
        elif name in ("th", "td"):
            label = self._cell(match, html)
        return f'<{name} role="{_role(name, attributes)}"{attributes}{label}>'

    def _cell(self, match: re.Match[str], html: str) -> str:
        """Return the attribute with a cell's heading; a heading is remembered."""
        _, name, attributes = match.groups()
        if self.is_in_head:
            text = html[match.end() : html.index("</th>", match.end())]
            self.headings.append(" ".join(unescape(_ANY_TAG.sub("", text)).split()))
            return ""
        heading = self.headings[self.column] if self.column < len(self.headings) else ""
        spanned = _COLUMNS.search(attributes)
        self.column += int(spanned[1]) if spanned else 1
        is_plain = name == "td" and not spanned and "data-label" not in attributes
        return f' data-label="{escape(heading)}"' if is_plain else ""


def _role(name: str, attributes: str) -> str:
    if name != "th":
        return _ROLES[name]
    scope = re.search(r'scope="(\w+)"', attributes)
    return _SCOPES.get(scope[1], "columnheader") if scope else "columnheader"
