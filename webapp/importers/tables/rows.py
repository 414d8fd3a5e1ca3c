"""The rows of a CSV file: its text, what parts its cells, and the quotes that may not be left open."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from webapp.importers.bank_files import MAX_LINES, FileRefusedError
from webapp.importers.decoding import decode, opening
from webapp.importers.tables.words import names_column

DELIMITERS: Final = (",", ";", "\t", "|")
_SAMPLE: Final = 64 * 1024
_MAX_CELLS: Final = 500
_MAX_LINE: Final = 1_000_000
# Encodings without a mark, each known by a word for a column that only it makes of the bytes.
_ENCODINGS: Final = ("gb18030", "cp1251", "cp932", "big5", "koi8-r", "cp866", "cp949", "cp1250")
_MARKUP: Final = re.compile(r"\s*[<{\[]|\s*%PDF|PK\x03\x04|\{\\rtf")
_CONTROLS: Final = re.compile(r"[\x01-\x08\x0e-\x19\x1b-\x1f]")
_ESCAPED: Final = re.compile(r'\\"(?=[^",;\t|\r\n])')
_EXCEL: Final = re.compile(r"sep=(.)", re.IGNORECASE)
_END: Final = "\x1a end of the file \x1a"


class Row(NamedTuple):
    """One record: the line of the file at which it begins, from 1, and its cells without the space around them."""

    number: int
    cells: list[str]

    def cell(self, column: int) -> str:
        """A cell, empty where the row is too short for it."""
        return self.cells[column] if column < len(self.cells) else ""


def looks_like_a_table(data: bytes) -> bool:
    """Tell whether the bytes are text in lines that a mark parts into cells."""
    head = opening(data).decode("latin-1")
    if _CONTROLS.search(head) or _MARKUP.match(head):
        return False
    lines = [line for line in re.split(r"[\r\n]+", head) if line.strip()]
    for mark in DELIMITERS:
        counts = [line.count(mark) for line in lines if mark in line]
        if len(counts) > 1 or any(count > 1 for count in counts):
            return True
    return False


def text_of(data: bytes, encoding: str | None) -> str:
    """Decode a file: as told, else by its mark, UTF-8, and the words of its header; else Windows-1252."""
    if encoding:
        return _as_told(data, encoding)
    text = decode(data)
    if not _is_guessed(data):
        return text
    for name in _ENCODINGS:
        try:
            found = data.decode(name)
        except UnicodeDecodeError:
            continue
        words = re.split(r"[,;\t|\r\n]", found[:_SAMPLE])
        if any(not word.isascii() and names_column(word) for word in words):
            return found
    return text


def _as_told(data: bytes, encoding: str) -> str:
    wider = {"iso8859-1": "cp1252", "ascii": "utf-8", "gb2312": "gb18030", "gbk": "gb18030"}
    name = wider.get(encoding, encoding)
    try:
        return data.decode("utf-8-sig" if name == "utf-8" else name).removeprefix("\ufeff")
    except (UnicodeDecodeError, ValueError):
        if name == "cp1252":
            # Five of its bytes have no meaning and stand in files all the same, as they do in ISO 8859-1.
            return data.decode("latin-1")
        raise FileRefusedError(f"The file is not in {encoding}, as encoding of the mapping says.") from None


def _is_guessed(data: bytes) -> bool:
    """Tell whether nothing but the habit of banks says that a file is in Windows-1252."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"} or b"\0" in data[:2]:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def delimiters(text: str, told: str | None) -> Sequence[str]:
    """The marks that may part the cells, the likeliest first."""
    if told:
        return [told]
    lines = [line for line in re.split(r"[\r\n]+", text[:_SAMPLE]) if line.strip()][:200]
    if lines and (found := _EXCEL.fullmatch(lines[0].strip(' "'))):
        return [found[1]] if found[1] in DELIMITERS else list(DELIMITERS)
    lengths = {mark: Counter(line.count(mark) for line in lines if mark in line) for mark in DELIMITERS}
    return sorted(
        (mark for mark in DELIMITERS if lengths[mark]),
        key=lambda mark: max(lengths[mark].values()) * max(lengths[mark], key=lengths[mark].__getitem__),
        reverse=True,
    )


def rows(text: str, delimiter: str) -> Iterator[Row]:
    r"""Give every record, blank ones too, for a header is counted among them.

    >>> [row.cells for row in rows('a;"b\nc"\n\n1;"say ""hi"" "', ";")]
    [['a', 'b\nc'], [], ['1', 'say "hi"']]

    Raises FileRefusedError where a quote is left open, for the lines behind it would be lost in one cell.
    """
    # Most double a quote within quotes; where one follows a backslash and a letter follows it, that is how.
    escape = "\\" if _ESCAPED.search(text) else None
    reader = csv.reader(_lines(text), delimiter=delimiter, escapechar=escape)
    is_formula = '="' in text
    number, begins = 0, 1
    try:
        for cells in reader:
            if cells == [_END]:
                return
            if any(_END in cell for cell in cells[-1:]):
                raise FileRefusedError(
                    f"Row {begins:,}: a quote mark is opened and never closed; download the file again."
                )
            number += 1
            if number > MAX_LINES or len(cells) > _MAX_CELLS:
                raise FileRefusedError(
                    f"The file has more than {MAX_LINES:,} rows or {_MAX_CELLS} columns; export shorter periods."
                )
            row = Row(
                begins, [cell.strip() for cell in cells] if not is_formula else list(map(_unwrapped, cells))
            )
            _refuse_swallowed(row, delimiter)
            yield row
            begins = reader.line_num + 1
    except csv.Error as error:
        raise FileRefusedError(f"Row {begins:,} cannot be read: {error}.") from None


def _unwrapped(cell: str) -> str:
    """A cell without the formula by which some banks keep a spreadsheet from reading a number.

    >>> _unwrapped(' ="0012" '), _unwrapped('="a"&"b"'), _unwrapped("=1")
    ('0012', '="a"&"b"', '=1')
    """
    plain = cell.strip()
    inner = plain[2:-1] if plain.startswith('="') and plain.endswith('"') else None
    return plain if inner is None or '"' in inner else inner.strip()


def _lines(text: str) -> Iterator[str]:
    """The lines with their ends, and after them one that shows whether a quote was left open."""
    whole = text.rstrip("\0\x1a")
    if "\0" in whole:
        raise FileRefusedError("The file holds bytes that are no text; it is damaged, download it again.")
    for line in io.StringIO(whole, newline=""):
        if len(line) > _MAX_LINE:
            raise FileRefusedError("A line of the file is longer than any bank writes; download it again.")
        yield line
    yield _END


def _refuse_swallowed(row: Row, delimiter: str) -> None:
    """Refuse a cell that holds whole rows: a quote was not closed where it should have been."""
    for cell in row.cells:
        if "\n" not in cell and "\r" not in cell:
            continue
        inner = re.split(r"[\r\n]+", cell)[1:-1]
        least = max(len(row.cells) - 1, 2)
        if any(line.count(delimiter) >= least for line in inner):
            raise FileRefusedError(
                f"Row {row.number:,}: a quote mark is closed only rows later; the rows between would be lost."
            )
