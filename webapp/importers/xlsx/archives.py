"""The zip archive of a workbook, read in memory and within limits.

Its directory is read first and must be small; the sizes in it are not trusted, so that unpacked bytes are counted.
"""

import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Final

from webapp.importers.bank_files import FileRefusedError

MAX_MEMBERS: Final = 200
MAX_BYTES: Final = 100 * 1024 * 1024
MAX_RATIO: Final = 100

_SIGNATURE: Final = b"PK\x03\x04"
_END: Final = b"PK\x05\x06"
_END_64: Final = b"PK\x06\x07"
_END_SIZE: Final = 22
_END_64_SIZE: Final = 20
_MAX_COMMENT: Final = 65_535
_MAX_DIRECTORY: Final = 256 * 1024
_PIECE: Final = 64 * 1024
# Deflate compresses to a thousandth at most; up to this size the ratio is not limited.
_SIZE_WITHOUT_RATIO: Final = 1024 * 1024
_ENCRYPTED: Final = 0x1
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)
_DAMAGED: Final = "The file is cut off or damaged: its archive (zip) cannot be read; download it again."


def is_archive(data: bytes) -> bool:
    """Return whether the bytes begin like a zip archive, also like an empty one."""
    return data.startswith((_SIGNATURE, _END))


class Archive:
    """The members of an archive by their names in lower case; together they unpack to at most MAX_BYTES."""

    def __init__(self, data: bytes) -> None:
        """Read the directory; raises FileRefusedError for a truncated or too large archive."""
        _check_directory(data)
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
            members = [each for each in self._zip.infolist() if not each.is_dir()]
        except _BROKEN:
            raise FileRefusedError(_DAMAGED) from None
        self._members = {each.filename.lower().lstrip("/"): each for each in members}
        if len(members) > MAX_MEMBERS or len(self._members) < len(members):
            raise _too_large()
        stated, packed = sum(each.file_size for each in members), sum(each.compress_size for each in members)
        if stated > MAX_BYTES or stated > max(_SIZE_WITHOUT_RATIO, MAX_RATIO * packed):
            raise _too_large()
        self._remaining = min(MAX_BYTES, max(_SIZE_WITHOUT_RATIO, MAX_RATIO * len(data)))

    def __contains__(self, name: str) -> bool:
        """Return whether there is such a member."""
        return name.lower() in self._members

    def names(self) -> list[str]:
        """Return the names in lower case."""
        return list(self._members)

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield a member's bytes in pieces; raises FileRefusedError if it is missing, locked, damaged or too large."""
        member = self._members.get(name.lower())
        if member is None:
            raise FileRefusedError(f"The workbook has no {name}; it is damaged, download it again.")
        if member.flag_bits & _ENCRYPTED:
            raise FileRefusedError(
                "The file is protected by a password; open it, save it without one and import that."
            )
        if member.compress_type not in _METHODS:
            raise FileRefusedError("The file uses an unusual compression; save it in Excel again.")
        try:
            with self._zip.open(member) as opened:
                while piece := opened.read(_PIECE):
                    self._remaining -= len(piece)
                    if self._remaining < 0:
                        raise _too_large()
                    yield piece
        except _BROKEN:
            raise FileRefusedError(_DAMAGED) from None


def _check_directory(data: bytes) -> None:
    """Check the record at the end of the archive, before Python reads a directory of any size by it."""
    end = len(data) - _END_SIZE
    if not (data[end:].startswith(_END) and data.endswith(b"\0\0")):
        end = data.rfind(_END, max(0, len(data) - _END_SIZE - _MAX_COMMENT))
    if end < 0 or end + _END_SIZE + int.from_bytes(data[end + 20 : end + 22], "little") != len(data):
        raise FileRefusedError(_DAMAGED)
    count = int.from_bytes(data[end + 10 : end + 12], "little")
    size = int.from_bytes(data[end + 12 : end + 16], "little")
    is_large = data[max(0, end - _END_64_SIZE) : end].startswith(_END_64)
    if is_large or count > MAX_MEMBERS or size > _MAX_DIRECTORY:
        raise _too_large()


def _too_large() -> FileRefusedError:
    return FileRefusedError(
        f"The file unpacks to too much (at most {MAX_MEMBERS} parts and {MAX_BYTES // 1024 // 1024} MiB, compressed"
        f" {MAX_RATIO} to 1); export it in shorter periods or as CSV."
    )
