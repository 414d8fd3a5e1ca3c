"""RouteAddresses in templates: that of a bank line, and `url_for`, which a list of lines calls hundreds of times."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import request, url_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Flask

# What a query may hold unquoted, as Werkzeug writes it.
_SAFE = "!$'()*,/:;?@"
_FIRST_STAND_IN = 9_000_000_000_000_000_000


def line_address(fa_id: int, transaction_id: int, edit: str | None = None) -> str:
    """Give the address of a bank line: among all lines of its account, opened and scrolled to."""
    anchor = f"line-{transaction_id}"
    return url_for(
        "feed_accounts.show", fa_id=fa_id, show="all", line=transaction_id, edit=edit, _anchor=anchor
    )


@dataclass(frozen=True, slots=True)
class PathPattern:
    """The path of an endpoint with a place for each id: `/feeds/{fa_id}` for `feed_accounts.show`."""

    path: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class RouteAddresses:
    """Flask's `url_for` for templates: a path is asked of the routes once, and what changes is written into it.

    Only ids change in a path that is kept, and only texts and whole numbers in a query. Everything else is Flask's.
    """

    app: Flask
    patterns: dict[tuple[str, str, frozenset[str]], PathPattern] = field(default_factory=dict)
    files: dict[tuple[str, str], str] = field(default_factory=dict)

    def url_for(self, endpoint: str, **values: Any) -> str:
        """Build an address, relative to the host; raises BuildError for one that no route has."""
        root = request.environ.get("SCRIPT_NAME", "")
        if endpoint == "static" and values.keys() == {"filename"}:
            return self._file(root, values["filename"])
        if endpoint.startswith(".") or not all(map(_is_plain, values, values.values())):
            return self.app.url_for(endpoint, **values)
        given = {name: value for name, value in values.items() if value is not None}
        key = (root, endpoint, frozenset(given))
        pattern = self.patterns.get(key)
        if pattern is None:
            pattern = self.patterns[key] = pattern_of(self.app.url_for, endpoint, given)
        if any(type(given[name]) is not int for name in pattern.names):
            return self.app.url_for(endpoint, **values)
        address = pattern.path.format_map(given) if pattern.names else pattern.path
        query = [each for each in given.items() if each[0] not in pattern.names]
        return f"{address}?{urlencode(query, safe=_SAFE)}" if query else address

    def _file(self, root: str, name: str) -> str:
        # The templates name these files, so that there are few.
        found = self.files.get((root, name))
        if found is None:
            found = self.files[root, name] = self.app.url_for("static", filename=name)
        return found


def pattern_of(build: Callable[..., str], endpoint: str, given: Mapping[str, Any]) -> PathPattern:
    """Make the pattern of an endpoint that is asked for with values of these names."""
    stand_ins = {name: _FIRST_STAND_IN + place for place, name in enumerate(given)}
    path = build(endpoint, **stand_ins).partition("?")[0]
    names = frozenset(name for name, number in stand_ins.items() if str(number) in path)
    path = path.replace("{", "{{").replace("}", "}}") if names else path
    for name in names:
        path = path.replace(str(stand_ins[name]), f"{{{name}}}")
    return PathPattern(path, names)


def _is_plain(name: str, value: object) -> bool:
    """Tell whether a value is written as it is: no anchor, method or host, no list, and no truth value."""
    return not name.startswith("_") and (value is None or type(value) is int or type(value) is str)
