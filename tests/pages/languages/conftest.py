"""A language of brackets, by which a test sees what is translated."""

import pytest

from webapp.web.rendering import languages


class Reversed:
    """A catalogue that tells by its brackets what was translated."""

    def gettext(self, text):
        return f"⟦{text}⟧"

    def ngettext(self, one, many, count):
        return f"⟦{one if count == 1 else many}⟧"

    def pgettext(self, _context, text):
        return f"⟦{text}⟧"


@pytest.fixture
def bracketed(monkeypatch):
    """Make a language of brackets, which browsers can ask for as xx."""
    monkeypatch.setitem(languages.LANGUAGES, "xx", "[English]")
    catalogue = languages.catalogue
    monkeypatch.setattr(languages, "catalogue", lambda name: Reversed() if name == "xx" else catalogue(name))
