"""Files in a signature (CAdES, `.p7m`): what was signed is taken out, and the signature itself is not judged.

The format is SignedData of CMS (RFC 5652), in BER, because its content may come in pieces without a length. It comes
as bytes, in base64, or in PEM.
"""

import base64
import binascii
import re
from typing import Final

# The object identifier of signedData, 1.2.840.113549.1.7.2, as it is written.
_SIGNED_DATA: Final = bytes.fromhex("06092a864886f70d010702")
_SEQUENCE, _OCTETS, _CONSTRUCTED_OCTETS, _EXPLICIT = 0x30, 0x04, 0x24, 0xA0
_END: Final = b"\0\0"
_HEAD: Final = 64
# Signatures in signatures, and pieces in pieces.
_DEEPEST: Final = 4
_MOST_LENGTH_BYTES: Final = 4
_LONG: Final = 0x80
_BASE64: Final = re.compile(rb"[A-Za-z0-9+/=\s]+")
_PEM: Final = re.compile(
    rb"\s*-----BEGIN [A-Z0-9 ]{1,40}-----(.*?)-----END [A-Z0-9 ]{1,40}-----\s*", re.DOTALL
)


class SignedFileError(ValueError):
    """The signed file breaks off, or what was signed is not within it; the message says which."""


def is_signed(data: bytes) -> bool:
    """Return whether the bytes begin like a signature with its content, also in base64 or PEM."""
    head = data[: 2 * _HEAD].lstrip()
    if head.startswith(b"-----BEGIN "):
        return head.startswith((b"-----BEGIN PKCS7", b"-----BEGIN CMS"))
    # "MI" is how base64 writes the beginning of a long sequence, and "MIA" that of one without a length.
    return _begins(head) or (head.startswith(b"MI") and _begins(_decoded(head[:_HEAD])))


def content_of(data: bytes) -> bytes:
    """Take what was signed out of its signatures; raises SignedFileError."""
    for _ in range(_DEEPEST):
        if not is_signed(data):
            return data
        data = _content(data if _begins(data[:_HEAD]) else _decoded(data))
    raise SignedFileError("The file is signed more often than any invoice; send what was signed.")


def _begins(head: bytes) -> bool:
    return head[:1] == bytes([_SEQUENCE]) and _SIGNED_DATA in head[:_HEAD]


def _decoded(data: bytes) -> bytes:
    found = _PEM.fullmatch(data)
    text = found[1] if found else data
    if not _BASE64.fullmatch(text):
        return b""
    letters = b"".join(text.split())
    try:
        return base64.b64decode(letters[: len(letters) - len(letters) % 4])
    except binascii.Error:
        return b""


def _content(data: bytes) -> bytes:
    """Follow ContentInfo, SignedData and EncapsulatedContentInfo to the octets; each has its place."""
    try:
        at, _ = _into(data, 0, _SEQUENCE)
        at = _behind(data, at)
        at, _ = _into(data, at, _EXPLICIT)
        at, _ = _into(data, at, _SEQUENCE)
        # The version and the algorithms of digests.
        at = _behind(data, _behind(data, at))
        at, end = _into(data, at, _SEQUENCE)
        at = _behind(data, at)
        if at == end or data[at] != _EXPLICIT:
            raise SignedFileError(
                "The file is a signature without what was signed; send both, or the invoice itself."
            )
        at, _ = _into(data, at, _EXPLICIT)
        return b"".join(_octets(data, at, _DEEPEST)[0])
    except IndexError:
        raise SignedFileError("The signed file breaks off; ask for it again.") from None


def _octets(data: bytes, at: int, levels: int) -> tuple[list[bytes], int]:
    """Return the pieces of a string of octets, which may be one of strings, and where it ends."""
    tag, begins, ends = _header(data, at)
    if tag == _OCTETS and ends is not None:
        return [data[begins:ends]], ends
    if tag != _CONSTRUCTED_OCTETS or not levels:
        raise SignedFileError("What was signed is no file; ask for the invoice again.")
    pieces, place = [], begins
    while not _is_end(data, place, ends):
        inner, place = _octets(data, place, levels - 1)
        pieces += inner
    return pieces, place + len(_END) if ends is None else ends


def _into(data: bytes, at: int, wanted: int) -> tuple[int, int | None]:
    """Return where the contents of an element begin and end."""
    tag, begins, ends = _header(data, at)
    if tag != wanted:
        raise SignedFileError("The signed file is damaged; ask for it again.")
    return begins, ends


def _behind(data: bytes, at: int) -> int:
    """Return where an element ends, whether it states its length or not."""
    depth = 0
    while True:
        _, begins, ends = _header(data, at)
        if ends is None:
            depth, at = depth + 1, begins
        else:
            at = ends
        while depth and data[at : at + len(_END)] == _END:
            depth, at = depth - 1, at + len(_END)
        if not depth:
            return at


def _is_end(data: bytes, at: int, ends: int | None) -> bool:
    return data[at : at + len(_END)] == _END if ends is None else at >= ends


def _header(data: bytes, at: int) -> tuple[int, int, int | None]:
    """Return the tag of an element and where its contents begin and end, None without a stated length."""
    tag, length = data[at], data[at + 1]
    begins = at + 2
    if length == _LONG:
        return tag, begins, None
    if length > _LONG:
        size = length - _LONG
        if size > _MOST_LENGTH_BYTES:
            raise SignedFileError("The signed file is damaged; ask for it again.")
        length, begins = int.from_bytes(data[begins : begins + size]), begins + size
    if begins + length > len(data):
        raise IndexError
    return tag, begins, begins + length
