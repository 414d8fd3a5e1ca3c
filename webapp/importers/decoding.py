"""Character encodings of files: banks declare one encoding and send another, and accents in names depend on it."""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

# Byte-order marks; UTF-32 comes before UTF-16, whose mark is a prefix of it.
_WIDE_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# Encodings whose name usually means a larger one, as browsers read it too.
_WIDER: Final = {
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}

# An allow-list, because Python also has codecs that unpack archives or run in quadratic time.
_SINGLE_BYTE: Final = re.compile(r"cp(125\d|437|85\d|86\d|874)|iso8859-\d+|koi8-[ru]|mac-roman|tis-620")
_MULTI_BYTE: Final = {"utf-8", "gb18030", "big5", "cp932", "cp949", "euc_jp"}

# The encodings of Windows and DOS in Central Europe.
_OF_CENTRAL_EUROPE: Final = ("cp1250", "cp852")
_WORD: Final = re.compile(r"[A-Za-z](?:[A-Za-z]|[^\x00-\x7f])*[A-Za-z]")
_LETTERS: Final = frozenset({"Lu", "Ll", "Mn"})
_ALLOWED_IN_WORDS: Final = "\u00a0\u00ad\u00b4\u00b7\u2013\u2014\u2018\u2019"

_OPENING: Final = 64 * 1024
_PIECE: Final = 256 * 1024
# In UTF-16 at least one of so many bytes is zero, and for one on its side at most a quarter on the other.
_FEWEST_ZEROS: Final = 20
_ONE_SIDE: Final = 4

_XML_ENCODING: Final = re.compile(rb"""<\?xml\b[^<>]*?\bencoding\s*=\s*["']([\w.:-]+)["']""", re.IGNORECASE)


def decode(data: bytes, declared: Iterable[str] = ()) -> str:
    r"""Decode a file's bytes; every byte becomes a character, and line ends are kept.

    The byte-order mark decides, then the XML declaration, then the `declared` names in their order,
    then UTF-8, then Windows-1252 or its counterpart for Central Europe.

    >>> decode("Caf\u00e9".encode("cp1252"), ["1252"]), decode(b"\xef\xbb\xbfA"), decode(b"\x82\xa0", ["932"])
    ('Café', 'A', 'あ')

    A declared encoding of one byte per character is ignored where the bytes are valid UTF-8: banks declare 1252
    and send UTF-8, while text in such an encoding is never valid UTF-8 by chance.

    >>> decode("Caf\u00e9".encode(), ["1252"])
    'Café'
    """
    return data.removeprefix(codecs.BOM_UTF8).decode(_encoding(data, declared), errors="replace")


def opening(data: bytes) -> bytes:
    r"""Return the first bytes of a file for recognition, UTF-16 and UTF-32 converted to UTF-8.

    In UTF-16 half of a letter may look like a control character.

    >>> opening("\u017babka".encode("utf-16")).decode(), opening(b"\xef\xbb\xbfA")
    ('Żabka', b'A')
    """
    head = data[:_OPENING]
    if wide := wide_encoding(head):
        head = head.decode(wide, errors="replace").encode()
    return head.removeprefix(codecs.BOM_UTF8).replace(b"\0", b"")


def pieces(data: bytes, declared: Iterable[str] = ()) -> Iterator[str]:
    r"""Decode like `decode`, in pieces, for readers that do not need the whole text at once.

    >>> "".join(pieces(b"\xef\xbb\xbfCaf\xc3\xa9"))
    'Café'
    """
    decoder = codecs.getincrementaldecoder(_encoding(data, declared))(errors="replace")
    for start in range(0, len(data), _PIECE):
        piece = data[start : start + _PIECE]
        yield decoder.decode(piece if start else piece.removeprefix(codecs.BOM_UTF8))
    yield decoder.decode(b"", final=True)


def _encoding(data: bytes, declared: Iterable[str]) -> str:
    """Return the encoding a file is read in, in Python's name for it."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8"
    candidates = _candidates([*_xml_encoding(data), *declared])
    return (
        wide_encoding(data)
        or next((name for name in candidates if _is_sound(data, name)), None)
        or _likeliest(data)
    )


def _likeliest(data: bytes) -> str:
    r"""Guess an undeclared single-byte encoding: Windows-1252, unless that puts symbols in the middle of words.

    >>> [_likeliest("Płatność kartą, Żabka, usługa".encode(name)) for name in ("cp1250", "cp852")]
    ['cp1250', 'cp852']
    >>> _likeliest("Café de l\u2019Étoile, Groß & Söhne".encode("cp1252"))
    'cp1252'
    """
    head = data[:_OPENING]
    if not _symbols_in_words(head, "cp1252"):
        return "cp1252"
    return next((name for name in _OF_CENTRAL_EUROPE if not _symbols_in_words(head, name)), "cp1252")


def _symbols_in_words(data: bytes, encoding: str) -> int:
    """Count the symbols in the middle of words."""
    words = _WORD.findall(data.decode(encoding, errors="replace"))
    return sum(
        unicodedata.category(each) not in _LETTERS and each not in _ALLOWED_IN_WORDS
        for word in words
        for each in word
    )


def _is_sound(data: bytes, encoding: str) -> bool:
    """Return whether the data is valid in the encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for start in range(0, len(data), _PIECE):
            decoder.decode(data[start : start + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 by its byte-order mark, or UTF-16 by the zero bytes of its characters; None for others.

    Without a mark the first character has one zero byte in Latin script; in other scripts digits, spaces and line
    ends have one, nearly always on the same side.
    """
    for mark, name in _WIDE_MARKS:
        if data.startswith(mark):
            return name
    head = data[:_OPENING]
    first, second = head[:1] == b"\0", head[1:2] == b"\0"
    if len(head) >= 2 and first != second:  # noqa: PLR2004
        return "utf-16-be" if first else "utf-16-le"
    before, behind = head[::2].count(0), head[1::2].count(0)
    if max(before, behind) * _FEWEST_ZEROS < len(head) or min(before, behind) * _ONE_SIDE > max(
        before, behind
    ):
        return None
    return "utf-16-be" if before > behind else "utf-16-le"


def _xml_encoding(data: bytes) -> list[str]:
    found = _XML_ENCODING.search(data[:1024])
    return [found[1].decode("ascii", errors="ignore")] if found else []


def _candidates(declared: Iterable[str]) -> Iterator[str]:
    """Yield the encodings to try: the declared ones, with UTF-8 before the first single-byte encoding."""
    for name in filter(None, map(_codec, declared)):
        if _SINGLE_BYTE.fullmatch(name):
            yield "utf-8"
        yield name
    yield "utf-8"


def _codec(name: str) -> str | None:
    """Return Python's name of a declared encoding, or None if it is useless (NONE, USASCII, UTF-16 without mark).

    >>> [_codec(name) for name in ("1252", "ISO-8859-1", "8859-15", "UTF8", "GBK", "NONE", "zlib", "utf-16")]
    ['cp1252', 'cp1252', 'iso8859-15', 'utf-8', 'gb18030', None, None, None]
    """
    plain = name.strip().lower()
    if re.fullmatch(r"\d{3,5}", plain):
        plain = "utf-8" if plain == "65001" else f"cp{plain}"
    elif re.fullmatch(r"8859[-_]\d+", plain):
        plain = f"iso-{plain}"
    try:
        codec = codecs.lookup(plain).name
    except (LookupError, ValueError):
        return None
    wider = _WIDER.get(codec, codec)
    return wider if wider in _MULTI_BYTE or _SINGLE_BYTE.fullmatch(wider) else None
