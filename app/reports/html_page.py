"""HTML pages from templates in resources/templates, with everything escaped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from app.reports.tables import with_roles
from app.reports.text import clean
from app.wording.language import current_language, tr
from app.wording.local_forms import decimal
from app.wording.messages import local_text

if TYPE_CHECKING:
    from jinja2 import Template


def render_page(template: str, **values: object) -> str:
    """Return a page: style inside, no script, nothing fetched.

    Args:
        template: File name in resources/templates.
        **values: Names that it uses, besides `style`, `trusted`, `tr`, `local`, `decimal` and `language`.
    """
    from markupsafe import Markup

    style = (files("resources") / "templates" / "report.css").read_text(encoding="utf-8")
    return with_roles(render_part(template, style=Markup(style), **values))  # noqa: S704 - our own file


def render_part(template: str, **values: object) -> str:
    """Return a part of a page, to be placed in it by `trusted`.

    Args:
        template: File name in resources/templates.
        **values: Names that it uses, besides `trusted`, `tr`, `local`, `decimal` and `language`.
    """
    from markupsafe import Markup

    wording = {"tr": tr, "local": local_text, "decimal": decimal, "language": current_language()}
    return _template(template).render(trusted=Markup, **wording, **values)


@cache
def _template(name: str) -> Template:
    """Return a compiled template: to compile that of a report takes longer than to fill it in."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def harmless(value: object) -> object:
        return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=harmless, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string((files("resources") / "templates" / name).read_text(encoding="utf-8"))
