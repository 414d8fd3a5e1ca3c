"""Paths of the files beside the books: a stored name becomes a path here and nowhere else.

A row may come from a backup that somebody else made, so its names are as doubtful as those of an upload.
"""

import re
from pathlib import Path
from typing import Final

from webapp.database.sessions import instance_folder
from webapp.database.tenancy import ORGANIZATION

# At random, or after the SHA-256 of what is in it.
_NAME: Final = re.compile("[0-9a-f]{32}|[0-9a-f]{64}-[0-9a-f]{8}")
# The folders of files that stay as evidence, and of those that proposals wait with.
EVIDENCE: Final = "files"
PROPOSALS: Final = "proposals"
# The largest file that is taken: a bank's.
MOST_BYTES: Final = 160 * 1024 * 1024


class StrangeNameError(ValueError):
    """A stored name is none that a file beside the books can have."""


def is_name(name: str | None) -> bool:
    """Tell whether a file beside the books may have this name.

    >>> is_name("0" * 32), is_name("../" * 10 + "00"), is_name(None)
    (True, False, False)
    """
    return name is not None and _NAME.fullmatch(name) is not None


def place_in(folder: Path, name: str | None) -> Path:
    """Give the path of a file in a folder; raises StrangeNameError."""
    if name is None or not is_name(name):
        raise StrangeNameError(f"no file is called {name!r}"[:120])
    return folder / name


def evidence_folder(organization_id: str) -> Path:
    """Give the folder of an organization's evidence; raises StrangeNameError for what is no id of one."""
    return instance_folder(EVIDENCE) / checked_organization(organization_id)


def evidence_place(organization_id: str, name: str | None) -> Path:
    """Give the path of a file of an organization's evidence; raises StrangeNameError."""
    return place_in(evidence_folder(organization_id) / (name or "")[:2], name)


def checked_organization(organization_id: str) -> str:
    """Return an organization's id as a part of a path; raises StrangeNameError for what is none."""
    if not ORGANIZATION.fullmatch(organization_id):
        raise StrangeNameError(f"no organization is called {organization_id!r}"[:120])
    return organization_id
