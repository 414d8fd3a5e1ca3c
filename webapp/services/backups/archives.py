"""The file of a backup, which may be anybody's: what is read of it is bounded, and a key tells whose it is."""

import hmac
import json
import zipfile
from collections import deque
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from webapp.database.places import MOST_BYTES
from webapp.ledger.chain import Head
from webapp.ledger.errors import LedgerError

MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "manifest.hmac"
MOST_MANIFEST: Final = 64 * 1024 * 1024
# Rows take about a tenth of their room when they are packed; what takes a thousandth is made to fill a machine.
MOST_TIMES: Final = 100
ALWAYS: Final = 256 * 1024 * 1024
# Of a key, as for any HMAC of SHA-256 (RFC 2104).
LEAST_KEY: Final = 32
_PURPOSE: Final = b"tieout backup 1\n"


class NotABackupError(LedgerError):
    """The file is not a backup, or it is damaged; nothing was restored."""

    code = "no_backup"


class SignedBy(StrEnum):
    """Whether a backup is signed, and whether that was compared with a key."""

    NOBODY = "NOBODY"
    UNKNOWN = "UNKNOWN"
    KEY = "KEY"


def sign(archive: zipfile.ZipFile, manifest: bytes, key: bytes) -> None:
    """Write the HMAC-SHA256 of a manifest, which names the SHA-256 of the rows, and they those of the files."""
    archive.writestr(SIGNATURE, _signature(manifest, key))


def read_manifest(archive: zipfile.ZipFile, path: Path, key: bytes | None) -> tuple[Any, SignedBy]:
    """Read the manifest of a bounded archive, and tell who signed it; raises NotABackupError.

    With a key, only a backup that it signed is read.
    """
    _refuse_bomb(archive, path)
    written = read(archive, MANIFEST, MOST_MANIFEST)
    signature = read(archive, SIGNATURE, 64).decode() if SIGNATURE in archive.namelist() else None
    if key is not None and not hmac.compare_digest(signature or "", _signature(written, key)):
        raise NotABackupError("The backup is not signed with this key; nothing was restored.")
    manifest = json.loads(written)
    if not isinstance(manifest, dict):
        raise NotABackupError
    if signature is None:
        return manifest, SignedBy.NOBODY
    return manifest, SignedBy.UNKNOWN if key is None else SignedBy.KEY


def read(archive: zipfile.ZipFile, name: str, most: int = MOST_BYTES) -> bytes:
    """Read a member of so many bytes at most; raises NotABackupError for a larger one."""
    if archive.getinfo(name).file_size > most:
        raise NotABackupError(f"The backup's {name[:80]} is larger than any; nothing was restored.")
    return archive.read(name)


def _refuse_bomb(archive: zipfile.ZipFile, path: Path) -> None:
    """Refuse an archive of much more than its own size: members may share their bytes, so the file itself counts."""
    unpacked, most = sum(each.file_size for each in archive.infolist()), MOST_TIMES * path.stat().st_size
    if unpacked > ALWAYS + most:
        raise NotABackupError(
            f"The file would be {unpacked:,} bytes when unpacked, more than {MOST_TIMES} times its size: "
            "no backup is. Nothing was restored."
        )


def _signature(manifest: bytes, key: bytes) -> str:
    return hmac.new(key, _PURPOSE + manifest, "sha256").hexdigest()


class NoHeadError(LedgerError):
    """The file names no head of a chain; give a backup or an audit file of these books."""

    code = "no_head"


def noted_heads(path: Path) -> Mapping[str, Head]:
    """Read the heads of chains that a backup or an audit file names, by organization."""
    try:
        if zipfile.is_zipfile(path):
            return _of_backup(path)
        return _of_audit_file(path)
    except (KeyError, TypeError, ValueError, RecursionError, OSError, zipfile.BadZipFile) as error:
        raise NoHeadError from error


def _of_backup(path: Path) -> Mapping[str, Head]:
    with zipfile.ZipFile(path) as archive:
        manifest, _ = read_manifest(archive, path, None)
    found = manifest["organizations"]
    return dict(_head(each["id"], each["chainHead"]) for each in found if each["chainHead"] is not None)


def _of_audit_file(path: Path) -> Mapping[str, Head]:
    with path.open(encoding="utf-8") as file:
        books, (last,) = json.loads(next(file, "")), deque(file, maxlen=1)
    head = json.loads(last)
    if head["type"] != "head":
        raise ValueError(head)
    return dict([_head(books["organization"], head)])


def _head(organization_id: object, record: Mapping[str, Any]) -> tuple[str, Head]:
    """Read what a file says of the last event of some books; it says nothing where there is none."""
    sequence, found = int(record["sequence"]), (str(organization_id), str(record["hash"]))
    if not 0 < sequence < 2**63 or not all(each.isprintable() for each in found):
        raise ValueError(record)
    return found[0], Head(sequence, found[1])
