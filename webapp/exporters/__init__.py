"""The whole book in the formats of other systems; each writer yields the text of the same book in pieces."""

from collections.abc import Callable, Iterator
from typing import Final

from webapp.exporters import beancount, csv_files, hledger
from webapp.exporters.books import ExportedBook

# Format -> what writes it, how its file ends, and its media type.
FORMATS: Final[dict[str, tuple[Callable[[ExportedBook], Iterator[str]], str, str]]] = {
    "beancount": (beancount.write, "beancount", "text/plain"),
    "hledger": (hledger.write, "journal", "text/plain"),
    "csv": (csv_files.write, "csv", "text/csv"),
}
