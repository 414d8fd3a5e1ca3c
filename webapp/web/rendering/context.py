"""The context of all templates: the viewer, the organization, the viewer's scopes, and filters of figures and days."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, request, url_for
from flask.templating import Environment
from jinja2 import pass_context
from jinja2.runtime import Context

from webapp.ledger.texts.legible import legible
from webapp.web.access import requests
from webapp.web.access.request_state import state
from webapp.web.rendering import charts, figures, rule_wording, wording
from webapp.web.rendering.notation import in_zone, notation, sentence, today

if TYPE_CHECKING:
    from collections.abc import KeysView, MutableMapping

ICONS: Final = "vendor/icons-1.62.0.svg"


def add_context(app: Flask) -> None:
    """Register the templates' names, filters and tests."""
    app.jinja_environment = TemplateEnvironment
    filters: dict[str, Callable[..., Any]] = {
        each.__name__: each for each in (*figures.PLAIN, *charts.PLAIN, *wording.PLAIN)
    }
    filters |= {each.__name__: noted(each) for each in figures.NOTED}
    filters |= {each.__name__: dated(each) for each in figures.NEAR}
    filters |= {each.__name__: reworded(each) for each in wording.SENTENCES}
    filters["ago"] = lambda value, now: wording.ago(in_zone(value), in_zone(now), notation())
    app.jinja_env.filters.update(filters, worded=sentence, written=rule_wording.written)
    app.jinja_env.tests.update(figures.TESTS)
    app.jinja_env.globals.update(line_address=line_address)
    app.jinja_env.globals.update(in_books=in_books, icon_sheet=icon_sheet, asset=asset)
    app.jinja_env.finalize = printed
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.context_processor(names)


def printed(value: Any) -> Any:
    """Print a text with its invisible characters written out, which a bank's text may have."""
    return legible(value) if type(value) is str else value


def noted(printed: Callable[..., str]) -> Callable[..., str]:
    """Make a filter from a function that prints in a notation."""

    # Jinja works out a filter without the context once for all readers where its value is written in the template.
    @pass_context
    def filter_(_context: Context, *values: Any) -> str:
        return printed(*map(in_zone, values), notation())

    return filter_


def dated(printed: Callable[..., str]) -> Callable[[datetime], str]:
    """Make a filter from a function that prints a day relative to today."""
    return lambda value: printed(in_zone(value), today(), notation())


def reworded(sentence_of: Callable[..., str]) -> Callable[..., str]:
    """Make a filter from a function that makes a sentence with figures."""
    return lambda *values: sentence(sentence_of(*values))


def names() -> dict[str, Any]:
    """The names that base.html documents."""
    found = state().principal
    general: dict[str, Any] = {"request_id": state().id, "notice": None, "notation": notation()}
    if found is None:
        return {**general, "viewer": None, "organization": None, "can": frozenset(), "waiting": 0}
    return {
        **general,
        "viewer": {
            "name": found.user_name,
            "email": found.email,
            "has_letter_keys": found.has_letter_keys,
            "theme": found.theme,
            "has_ended": found.has_ended(requests.now()),
        },
        "organization": {
            "id": found.organization_id,
            "name": found.organization_name,
            "base_currency": found.base_currency,
            "is_demo": found.is_demo,
        },
        "can": found.scopes,
        "waiting": found.waiting,
        "now": requests.now(),
    }


class TemplateNames(ChainMap[str, Any]):
    """The names of a template before those of all templates.

    Each import of a macro compares them with those of the page, which a plain `ChainMap` does name by name: a list of
    50 lines imports some 400 times.
    """

    def keys(self) -> KeysView[str]:
        """All names, as the keys of one dictionary."""
        own, common = self.maps
        return {**common, **own}.keys()


class TemplateEnvironment(Environment):
    """Flask's environment with such names."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Make the names of one template."""
        return TemplateNames({} if d is None else d, self.globals)


def icon_sheet() -> str:
    """Give the address of the icons, of which a list prints some for each row."""
    return asset(ICONS)


def asset(filename: str) -> str:
    """Give the address of a static file, of which each page names some twenty."""
    return _asset(request.script_root, filename)


@lru_cache(maxsize=512)
def _asset(_script_root: str, filename: str) -> str:
    return url_for("static", filename=filename)


def line_address(fa_id: int, transaction_id: int, edit: str | None = None) -> str:
    """Give the address of a bank line: among all lines of its account, opened and scrolled to."""
    anchor = f"line-{transaction_id}"
    return url_for(
        "feed_accounts.show", fa_id=fa_id, show="all", line=transaction_id, edit=edit, _anchor=anchor
    )


def in_books(path: str) -> str:
    """Give the address of a page in the books of the request, from its path there."""
    return url_for("hub.index").removesuffix("/") + path
