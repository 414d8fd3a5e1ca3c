"""No page has a text of ours outside of the catalogues: in the language of brackets each of them stands in brackets."""

import re
from html.parser import HTMLParser
from zoneinfo import available_timezones

import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.screens import FILES, PAGES
from webapp.database.sessions import Base, db
from webapp.ledger.notation.days import MONTHS
from webapp.ledger.notation.locales import NOTATIONS

SPOKEN = ("title", "aria-label", "placeholder", "alt", "label")
# What is written, not said: data of files, codes, keys.
SILENT = ("script", "style", "svg", "code", "kbd", "textarea", "datalist")
WORD = re.compile(r"[^\W\d_]{4,}")
DAY = re.compile(rf"\b(?:{'|'.join(MONTHS)})[a-z]*\b")
# Names, and values as they are stored.
SAME = re.compile(
    r"Tieout|English|minus|XLSX|Bytes|Account in EUR|[0-9a-f]{8}$|“.*”|^entry [0-9]+ .*|Invented for the demo"
    r"|^Hetzner.*|^read$"
)


class Texts(HTMLParser):
    """The texts of a page that stand outside of brackets."""

    def __init__(self):
        super().__init__()
        self.found, self._depth, self._silent = set(), 0, None

    def handle_starttag(self, tag, attrs):
        self._silent = self._silent or (tag if tag in SILENT else None)
        for name, text in attrs:
            if name in SPOKEN and text:
                self._add(text, 0)

    def handle_endtag(self, tag):
        self._silent = None if tag == self._silent else self._silent

    def handle_data(self, data):
        if not self._silent:
            self._depth = self._add(data, self._depth)

    def _add(self, text, depth):
        for part in re.split(r"([⟦⟧])", text):
            depth += {"⟦": 1, "⟧": -1}.get(part, 0)
            if not depth and WORD.search(DAY.sub("", part)):
                self.found.add(" ".join(part.split()))
        return depth


@on_sqlite
def test_every_page_is_translated(app, mara, pseudo):
    browser = app.test_client()
    browser.set_cookie("tieout", mara.cookie())
    found = {}
    for name, path in PAGES.items():
        address = path.format(**vars(mara))
        texts = Texts()
        texts.feed(browser.get(address, headers={"Accept-Language": "xx"}, follow_redirects=True).text)
        found |= dict.fromkeys(texts.found, name)
    with app.app_context():
        data = " ".join((*stored(), *(each.decode() for each in FILES.values()), *available_timezones()))
        names = re.compile("|".join(map(re.escape, sorted(proper(), key=len, reverse=True))))
    left = [
        f"{name}: {text}"
        for text, name in found.items()
        if text not in data and WORD.search(DAY.sub("", SAME.sub("", names.sub("", text))))
    ]
    assert "\n".join(left) == ""


def proper():
    """Give the names that the books have, and those of regions."""
    tables = [each for each in Base.metadata.sorted_tables if "name" in each.columns]
    found = {name for each in tables for name in db.session.scalars(sa.select(each.c.name)) if name}
    return found | {each.region for each in NOTATIONS.values()} | set(FILES)


def stored():
    """Give every text that the books have."""
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, sa.String):
                yield from {
                    " ".join(str(each).split()) for each in db.session.scalars(sa.select(column)) if each
                }
