"""Zip archives, read in memory and within limits: a workbook's, and those in which somebody sends files.

The directory is read first and must be small; the sizes in it are not trusted, so that unpacked bytes are counted.
Nothing is written to a disk, and the names in it are only shown.
"""

import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Final, NamedTuple

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
# What makes an archive a document of a program: Office, OpenDocument and e-books, Java, Apple's.
_OF_PROGRAMS: Final = frozenset({"[content_types].xml", "mimetype", "meta-inf/manifest.mf", "index.zip"})
_FIRST_OF_PROGRAMS: Final = (b"[content_types].xml", b"mimetype", b"xl/", b"word/")
# Parts of Apple's documents, and the macros of Office's.
_ENDS_OF_PROGRAMS: Final = (".iwa", "vbaproject.bin")
# What systems add to the files that somebody packs.
_OF_SYSTEMS: Final = frozenset({"thumbs.db", "desktop.ini"})
_LONGEST_NAME: Final = 255
# What turns letters round or moves a terminal's cursor.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_UNIX: Final = 3


class PackedMember(NamedTuple):
    """A file in an archive, or a file by itself: its path as stated, and its bytes."""

    name: str
    data: bytes


def is_archive(data: bytes) -> bool:
    """Return whether the bytes begin like a zip archive, also like an empty one."""
    return data.startswith((_SIGNATURE, _END))


class Archive:
    """The members of a workbook's archive by their names in lower case; they unpack to at most MAX_BYTES."""

    instead = "export it in shorter periods or as CSV"
    locked = "The file is protected by a password; open it, save it without one and import that."
    unusual = "The file uses an unusual compression; save it in Excel again."

    def __init__(self, data: bytes) -> None:
        """Read the directory; raises FileRefusedError for a truncated or too large archive."""
        self._check_directory(data)
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
            self._all = [each for each in self._zip.infolist() if not each.is_dir()]
        except _BROKEN:
            raise FileRefusedError(_DAMAGED) from None
        self._members = {each.filename.lower().lstrip("/"): each for each in self._all}
        if len(self._all) > MAX_MEMBERS or (self._are_named and len(self._members) < len(self._all)):
            raise self._too_large()
        stated, packed = (
            sum(each.file_size for each in self._all),
            sum(each.compress_size for each in self._all),
        )
        if stated > MAX_BYTES or stated > max(_SIZE_WITHOUT_RATIO, MAX_RATIO * packed):
            raise self._too_large()
        self._remaining = min(MAX_BYTES, max(_SIZE_WITHOUT_RATIO, MAX_RATIO * len(data)))

    # Of two members with one name nobody knows which is meant.
    _are_named = True

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
        yield from self._pieces(member)

    def _pieces(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        if member.flag_bits & _ENCRYPTED:
            raise FileRefusedError(self.locked)
        if member.compress_type not in _METHODS:
            raise FileRefusedError(self.unusual)
        try:
            with self._zip.open(member) as opened:
                while piece := opened.read(_PIECE):
                    self._remaining -= len(piece)
                    if self._remaining < 0:
                        raise self._too_large()
                    yield piece
        except _BROKEN:
            raise FileRefusedError(_DAMAGED) from None

    def _check_directory(self, data: bytes) -> None:
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
            raise self._too_large()

    def _too_large(self) -> FileRefusedError:
        return FileRefusedError(
            f"The file unpacks to too much (at most {MAX_MEMBERS} parts and {MAX_BYTES // 1024 // 1024} MiB,"
            f" compressed {MAX_RATIO} to 1); {self.instead}."
        )


class Parcel(Archive):
    """The files that somebody sends in an archive, whatever their names."""

    instead = "send its files in parts"
    locked = "The archive (zip) is protected by a password, so that nothing in it was taken; send its files without."
    unusual = "The archive (zip) uses an unusual compression, so that nothing was taken; unpack it, and send its files."
    _are_named = False

    @property
    def is_of_program(self) -> bool:
        """Return whether the archive is a document of a program, whose parts nobody sends as files."""
        return not _OF_PROGRAMS.isdisjoint(self._members) or any(
            name.endswith(_ENDS_OF_PROGRAMS) for name in self._members
        )

    def files(self) -> list[PackedMember]:
        """Unpack all files, but those that systems add; raises FileRefusedError."""
        return [self._file(each) for each in self._all if _is_sent(each.filename)]

    def _file(self, member: zipfile.ZipInfo) -> PackedMember:
        name = "".join(each for each in member.filename if unicodedata.category(each) not in _UNSEEN)
        name = name[-_LONGEST_NAME:]
        if member.create_system == _UNIX and stat.S_ISLNK(member.external_attr >> 16):
            raise FileRefusedError(
                f"In the archive (zip) {name} is a link and no file, so that nothing in it was taken."
            )
        return PackedMember(name, b"".join(self._pieces(member)))


def holds_files(data: bytes) -> bool:
    """Return whether the bytes are an archive in which somebody sends files, even if it is damaged or too large."""
    if not is_archive(data):
        return False
    try:
        return not Parcel(data).is_of_program
    except FileRefusedError:
        # The names stand in clear; those of a workbook come first in it.
        return not any(name in data[:_PIECE].lower() for name in _FIRST_OF_PROGRAMS)


def files_in(data: bytes) -> list[PackedMember]:
    """Unpack the files of an archive, all of them or none; raises FileRefusedError. An archive in it stays one."""
    found = Parcel(data).files()
    if not found:
        raise FileRefusedError("The archive (zip) has no file in it.")
    return found


def unpacked(files: Sequence[PackedMember]) -> list[PackedMember]:
    """Put the files of each archive in its place, named by both; a refused archive, or one too many, stays.

    Together they are as many and as large as those of one archive may be.
    """
    found: list[PackedMember] = []
    count, size = 0, 0
    for file in files:
        try:
            inside = files_in(file.data) if holds_files(file.data) else []
        except FileRefusedError:
            inside = []
        length = sum(len(each.data) for each in inside)
        if count + len(inside) > MAX_MEMBERS or size + length > MAX_BYTES:
            inside = []
        count, size = count + len(inside), size + (length if inside else 0)
        found += [each._replace(name=f"{file.name}/{each.name}") for each in inside] or [file]
    return found


def _is_sent(name: str) -> bool:
    folder, _, last = name.lower().replace("\\", "/").rpartition("/")
    is_of_mac = "__macosx" in folder.split("/")
    return not is_of_mac and not last.startswith(".") and last not in _OF_SYSTEMS
