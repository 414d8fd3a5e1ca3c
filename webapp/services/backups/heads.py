"""Heads of chains that somebody kept: those of a backup, or of an audit file."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from webapp.ledger.chain import Head
from webapp.ledger.errors import LedgerError
from webapp.services.backups import archives


class NoHeadError(LedgerError):
    """The file names no head of a chain; give a backup or an audit file of these books."""

    code = "no_head"


def noted_in(path: Path) -> Mapping[str, Head]:
    """Read the heads of a file, by organization."""
    try:
        if zipfile.is_zipfile(path):
            return _of_backup(path)
        return _of_audit_file(path)
    except (KeyError, TypeError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise NoHeadError from error


def _of_backup(path: Path) -> Mapping[str, Head]:
    with zipfile.ZipFile(path) as archive:
        manifest, _ = archives.read_manifest(archive, path, None)
    return {
        each["id"]: Head(int(each["chainHead"]["sequence"]), str(each["chainHead"]["hash"]))
        for each in manifest["organizations"]
        if each["chainHead"] is not None
    }


def _of_audit_file(path: Path) -> Mapping[str, Head]:
    with path.open(encoding="utf-8") as file:
        books = json.loads(next(file, ""))
        for line in file:
            last = line
    head = json.loads(last)
    return {str(books["organization"]): Head(int(head["sequence"]), str(head["hash"]))}
