"""The rows of a CSV file: its encoding, its delimiter, and quotation marks that must be closed."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from webapp.importers.bank_files import MAX_LINES, FileRefusedError
from webapp.importers.decoding import decode, opening, wide_encoding
from webapp.importers.tables.vocabulary import names_column
from webapp.importers.texts import refuse_too_large
from webapp.ledger.texts.controls import unguarded

DELIMITERS: Final = (",", ";", "\t", "|")
_SAMPLE: Final = 64 * 1024
_MAX_CELLS: Final = 500
_MAX_LINE: Final = 1_000_000
# Of all rows together; a hundred thousand rows of sixty cells.
_MAX_SLOTS: Final = 6_000_000
# Texts on several lines are rare: a file has few more lines of text than rows.
_MAX_TEXT_LINES: Final = 2 * MAX_LINES
# Encodings without a byte-order mark, recognised where they give a known name of a column.
_ENCODINGS: Final = ("gb18030", "cp1251", "cp932", "big5", "koi8-r", "cp866", "cp949", "cp1250")
_MARKUP: Final = re.compile(r"\s*[<{\[]|\s*%PDF|PK\x03\x04|\{\\rtf")
_CONTROLS: Final = re.compile(r"[\x01-\x08\x0e-\x19\x1b-\x1f]")
_ESCAPED: Final = re.compile(r'\\"(?=[^",;\t|\r\n])')
_EXCEL: Final = re.compile(r"sep=(.)", re.IGNORECASE)
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_END: Final = "\x1a end of the file \x1a"


class TableRow(NamedTuple):
    """One row: the number of its first line in the file, from 1, and its cells without surrounding space."""

    number: int
    cells: list[str]

    def cell(self, column: int) -> str:
        """Return a cell, empty if the row is too short."""
        return self.cells[column] if column < len(self.cells) else ""


def is_table(data: bytes) -> bool:
    """Return whether the bytes are lines of text with a delimiter."""
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
    """Decode a file: in this encoding, else by byte-order mark, as UTF-8, by column names, as Windows-1252.

    Raises FileRefusedError for too many or too long lines or cells, before it reads them.
    """
    refuse_too_large(data)
    if max(data.count(b"\n"), data.count(b"\r")) > _MAX_TEXT_LINES:
        raise _too_large()
    if any(data.count(mark.encode()) > _MAX_SLOTS for mark in DELIMITERS):
        raise _too_large()
    _refuse_long_line(data)
    if encoding:
        return _decoded(data, encoding)
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


def _refuse_long_line(data: bytes) -> None:
    """Refuse a file with more bytes in a line than its longest characters could need."""
    mark, begins = b"\n" if b"\n" in data else b"\r", 0
    while begins < len(data):
        ends = data.find(mark, begins)
        ends = len(data) if ends < 0 else ends
        if ends - begins > 4 * _MAX_LINE:
            raise FileRefusedError("A line of the file is too long; download it again.")
        begins = ends + 1


def _decoded(data: bytes, encoding: str) -> str:
    wider = {"iso8859-1": "cp1252", "ascii": "utf-8", "gb2312": "gb18030", "gbk": "gb18030"}
    # Without a byte-order mark, Python would read UTF-16 in the order of this machine.
    name = wide_encoding(data) or encoding if encoding == "utf-16" else wider.get(encoding, encoding)
    try:
        return data.decode("utf-8-sig" if name == "utf-8" else name).removeprefix("\ufeff")
    except (UnicodeDecodeError, ValueError):
        if name == "cp1252":
            # Five of its bytes are undefined but occur in files, with their meaning in ISO 8859-1.
            return data.decode("latin-1")
        raise FileRefusedError(f"The file is not in {encoding}, the mapping's encoding.") from None


def _is_guessed(data: bytes) -> bool:
    """Return whether Windows-1252 is only a guess: neither UTF-16 nor UTF-8."""
    if wide_encoding(data):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def delimiters(text: str, chosen: str | None) -> Sequence[str]:
    """Return the possible delimiters, the likeliest first."""
    if chosen:
        return [chosen]
    lines = [line for line in re.split(r"[\r\n]+", text[:_SAMPLE]) if line.strip()][:200]
    if lines and (found := _EXCEL.fullmatch(lines[0].strip(' "'))):
        return [found[1]] if found[1] in DELIMITERS else list(DELIMITERS)
    lengths = {mark: Counter(line.count(mark) for line in lines if mark in line) for mark in DELIMITERS}
    return sorted(
        (mark for mark in DELIMITERS if lengths[mark]),
        key=lambda mark: max(lengths[mark].values()) * max(lengths[mark], key=lengths[mark].__getitem__),
        reverse=True,
    )


def rows(text: str, delimiter: str) -> Iterator[TableRow]:
    r"""Yield every row, blank ones too, because a mapping counts them.

    >>> [row.cells for row in rows('a;"b\nc"\n\n1;"say ""hi"" "', ";")]
    [['a', 'b\nc'], [], ['1', 'say "hi"']]

    Raises FileRefusedError for an open quotation mark, because the lines behind it would be lost in one cell.
    """
    # Most files double a quote within quotes; a backslash before one, and a letter behind it, means escaping.
    escape = "\\" if _ESCAPED.search(text) else None
    quote = "'" if _has_single_quotes(text, delimiter) else '"'
    reader = csv.reader(_lines(text), delimiter=delimiter, escapechar=escape, quotechar=quote)
    plain = _unwrapped if '="' in text else _unguarded if "'" in text else str.strip
    number, slots, begins = 0, 0, 1
    try:
        for cells in reader:
            if cells == [_END]:
                return
            if any(_END in cell for cell in cells[-1:]):
                raise FileRefusedError(
                    f"Row {begins:,}: a quotation mark is opened and never closed; download the file again."
                )
            number += 1
            slots += len(cells)
            if number > MAX_LINES or len(cells) > _MAX_CELLS or slots > _MAX_SLOTS:
                raise _too_large()
            row = TableRow(begins, list(map(plain, cells)))
            _refuse_rows_in_cells(row, delimiter)
            yield row
            begins = reader.line_num + 1
    except csv.Error as error:
        raise FileRefusedError(f"Row {begins:,} cannot be read: {error}.") from None


def _has_single_quotes(text: str, delimiter: str) -> bool:
    """Return whether a file has its texts between apostrophes: each cell that begins with one also ends with one.

    Some banks only write numbers of cards so, where the apostrophes are for a spreadsheet.
    """
    if f"{delimiter}'" not in text or '"' in text:
        return False
    begins = re.compile(f"(?:^|{re.escape(delimiter)})'", re.MULTILINE)
    whole = re.compile(rf"{begins.pattern}([^'\r\n]*)'(?={re.escape(delimiter)}|\r?$)", re.MULTILINE)
    cells = whole.findall(text)
    return len(begins.findall(text)) == len(cells) and any(map(str.isalpha, "".join(cells)))


def _too_large() -> FileRefusedError:
    return FileRefusedError(
        f"The file has more than {MAX_LINES:,} rows, {_MAX_CELLS} columns or {_MAX_SLOTS:,} cells;"
        " export shorter periods."
    )


def _unwrapped(cell: str) -> str:
    """Return a cell without the formula that some banks put around a number.

    >>> _unwrapped(' ="0012" '), _unwrapped('="a"&"b"'), _unwrapped("=1")
    ('0012', '="a"&"b"', '=1')
    """
    plain = cell.strip()
    inner = plain[2:-1] if plain.startswith('="') and plain.endswith('"') else None
    return _unguarded(plain) if inner is None or '"' in inner else inner.strip()


def _unguarded(cell: str) -> str:
    """Return a cell without the apostrophes that our own export puts before formula signs."""
    return unguarded(cell.strip()).strip()


def _lines(text: str) -> Iterator[str]:
    """Yield the lines with their ends, then an end marker that shows an open quotation mark."""
    content = text.rstrip("\0\x1a")
    if "\0" in content:
        raise FileRefusedError("The file has bytes that are not text; it is damaged, download it again.")
    # A StringIO would hold four bytes for each character.
    for found in _LINE.finditer(content):
        line = found[0]
        if len(line) > _MAX_LINE:
            raise FileRefusedError("A line of the file is too long; download it again.")
        yield line
    yield _END


def _refuse_rows_in_cells(row: TableRow, delimiter: str) -> None:
    """Refuse a cell that contains rows: a quotation mark was not closed."""
    for cell in row.cells:
        if "\n" not in cell and "\r" not in cell:
            continue
        inner = re.split(r"[\r\n]+", cell)[1:-1]
        least = max(len(row.cells) - 1, 2)
        if any(line.count(delimiter) >= least for line in inner):
            raise FileRefusedError(
                f"Row {row.number:,}: a quotation mark is closed some rows later; the rows between would be lost."
            )
