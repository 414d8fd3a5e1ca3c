"""Write THIRD_PARTY.md: every library that is not ours, with its version and its licence.

    python -m scripts.third_party

Versions come from the lock files and licences from what is installed; a test holds the file to both. A library of
the runtime under the GPL or AGPL, or without a licence that can be told, stops the script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "THIRD_PARTY.md"
PIN = re.compile(r"^(?P<pin>[a-z0-9][^\s\\]*(?: ;[^\\\n]*)?)", re.MULTILINE)
# What metadata calls a licence, where it does not use the identifiers of SPDX.
SPDX = {
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "MIT license": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
# A licence by words of its text, for a library whose metadata names none, or one of several alike.
AMBIGUOUS = {"BSD License"}
TEXTS = {
    "Neither the name of": "BSD-3-Clause",
    "This software is provided 'as-is', without any express or implied warranty": "Zlib",
}
HEAD = """# Third-party software

Written by `python -m scripts.third_party` from the lock files and the metadata of what is installed. A test holds it
current, and the script refuses a runtime library under the GPL. Tieout itself is under the
[Apache License 2.0](LICENSE).
"""
SERVED = """
## Served to browsers

Copied into `webapp/static/vendor` as published, each with its licence beside it. `scripts/icons` are our own.
"""
RUNTIME = """
## Runtime

Installed from `requirements.lock`, unchanged and as separate packages. psycopg is under the LGPL: Tieout imports it,
and anybody may install another version of it.
"""
DEVELOPMENT = """
## Development only

Installed beside the runtime from `requirements-dev.lock`, for tests and checks. None of it is part of what Tieout
installs or serves. Under the GPL are beancount, which only tests import, and djlint, which is run as a program.
axe-core is copied into `tests/browser/vendor`, with its licence beside it. Tests also run the system's Chromium,
nginx and hledger.
"""


class Library(NamedTuple):
    """A library, its version, and its licence as an expression of SPDX."""

    name: str
    version: str
    licence: str


def page() -> str:
    """Give the whole file; raises LookupError for what may not be in the runtime."""
    runtime = list(libraries("requirements.lock"))
    for each in runtime:
        if is_refused(each.licence):
            raise LookupError(f"{each.name} is under {each.licence}, which the runtime cannot take.")
    development = [each for each in libraries("requirements-dev.lock") if each not in runtime]
    development = sorted([*development, *vendored("tests/browser/vendor")])
    return (
        HEAD
        + SERVED
        + table(vendored("webapp/static/vendor"))
        + RUNTIME
        + table(runtime)
        + DEVELOPMENT
        + table(development)
    )


def vendored(folder: str) -> list[Library]:
    """List what is copied into a folder from packages for browsers."""
    entries = json.loads((ROOT / folder / "manifest.json").read_text(encoding="utf-8"))
    return [Library(each["name"], each["version"], each["licence"]) for each in entries]


def libraries(lock: str) -> Iterator[Library]:
    """List what a lock file pins for systems like this one."""
    for pin in PIN.findall((ROOT / lock).read_text(encoding="utf-8")):
        requirement = Requirement(pin)
        if requirement.marker is None or requirement.marker.evaluate():
            installed = distribution(requirement.name)
            if not requirement.specifier.contains(installed.version, prereleases=True):
                raise LookupError(f"{requirement} is pinned, and {installed.version} is installed.")
            yield Library(requirement.name, installed.version, licence_of(installed))


def licence_of(installed: Distribution) -> str:
    """Tell a library's licence by its metadata, or else by the text that it brings."""
    facts = installed.metadata
    stated = [facts.get("License-Expression"), facts.get("License")]
    stated += [each.rpartition(":: ")[2] for each in facts.get_all("Classifier", []) if "License ::" in each]
    for name in filter(None, stated):
        if len(name) < 60 and name not in AMBIGUOUS:  # noqa: PLR2004  (longer ones are the text itself)
            return SPDX.get(name, name)
    text = "".join(path.read_text() for path in installed.files or () if path.name.startswith("LICENSE"))
    for words, name in TEXTS.items():
        if words.lower() in " ".join(text.split()).lower():
            return name
    raise LookupError(f"{facts['Name']} names no licence; read it, and teach this script to tell it.")


def is_refused(licence: str) -> bool:
    """Tell whether the runtime cannot take a licence: the GPL and the AGPL, unless another one may be chosen.

    >>> is_refused("GPL-2.0-only"), is_refused("AGPL-3.0-or-later AND MIT"), is_refused("LGPL-3.0-only")
    (True, True, False)
    >>> is_refused("GPL-2.0-or-later OR MIT")
    False
    """
    return all(re.search(r"\bA?GPL", choice) for choice in re.split(r"\bOR\b", licence))


def table(libraries: list[Library]) -> str:
    """Write libraries as a table."""
    rows = [f"| {each.name} | {each.version} | {each.licence} |" for each in libraries]
    return "\n".join(["", "| Library | Version | Licence |", "|---|---|---|", *rows, ""])


def main() -> None:
    """Write the file anew."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
