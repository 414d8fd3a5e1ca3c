"""The environment of the templates: Flask's, with names that many small templates can be given quickly."""

from __future__ import annotations

from collections import ChainMap
from typing import TYPE_CHECKING, Any

from flask.templating import Environment

if TYPE_CHECKING:
    from collections.abc import KeysView, MutableMapping


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
