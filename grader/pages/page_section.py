"""A section of a page: a function that takes what it shows from the results, and a template that shows it. Pure.

The template consists of macros. `show(section)` writes the HTML. `style()` writes the section's own style rules, if it has any.
"""

from __future__ import annotations

import base64
import hashlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from markupsafe import Markup

from grader.model import visible_text

if TYPE_CHECKING:
    import jinja2

Subject = TypeVar("Subject")


class Shown(SimpleNamespace):
    """What a template gets: models as they are, and beside them what is computed. A name that is not there is an error."""


@dataclass(frozen=True)
class Section(Generic[Subject]):
    template: str  # below templates/
    content: Callable[[Subject], object]  # None or an empty tuple: nothing to show


def shown_sections(sections: Sequence[Section[Subject]], subject: Subject) -> list[Shown]:
    """The sections that have something to show, in their order."""
    made = (Shown(template=one.template, content=one.content(subject)) for one in sections)
    return [one for one in made if one.content]


# Renders templates to self-contained HTML: a strict environment that escapes, and a content security policy.


def render_page(name: str, sheet: object, *, sections: Sequence[Section[Any]] = (), script: str = "") -> str:
    """Renders `name`.html.j2 with `sheet`. The template has the page's own style; those of its sections follow."""
    modules = [_environment().get_template(one).module for one in dict.fromkeys(each.template for each in sections)]
    style = Markup("\n").join(module.style() for module in modules if hasattr(module, "style"))
    template = _environment().get_template(f"{name}.html.j2")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # Even if escaping failed, the browser would fetch nothing and run nothing.
    scripts = f"'sha256-{digest}'" if script else "'none'"
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {scripts}; base-uri 'none'; form-action 'none'"
    return template.render(sheet=sheet, style=style, script=script, policy=policy)


def render_drawing(template: str, figure: object) -> str:
    """Renders a picture as a file, by the template's macro for that."""
    return str(vars(_environment().get_template(template).module)["file"](figure))


def trusted_text(name: str) -> Markup:
    """A style sheet or script of this package. Only such text goes into a page unescaped."""
    return Markup(_environment().get_template(name).render())  # noqa: S704 -- holds nothing from a submission


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 -- terminal screens need none

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("grader.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        auto_reload=False,  # they are files of the kit: looking at each again before each use costs more than using it
        lstrip_blocks=True,
        finalize=_printable,
    )
    # Templates cut and format what models hold by these.
    environment.filters |= {
        **dict(inspect.getmembers(visible_text, inspect.isfunction)),
        "grouped": "{:,}".format,
        "hundredths": "{:.2f}".format,
    }
    return environment


def _printable(value: object) -> object:
    """No text reaches a page with hidden characters in it, also where a template has no filter for it. Cutting it is the filters' task."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return visible_text.whole(value)
