"""Print what a lock file pins as a bill of materials in CycloneDX's JSON.

    python -m scripts.sbom requirements.lock

It needs no package, and lists those that are installed, each with its licence.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


def bill(lock: str, version: str) -> dict[str, object]:
    """Write the bill of a lock file's text, for a version of Tieout."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "tieout", "version": version}},
        "components": [found for each in PIN.findall(lock) if (found := component(*each))],
    }


def component(name: str, version: str) -> dict[str, object] | None:
    """Write one package, if it is there."""
    purl = f"pkg:pypi/{name}@{version}"
    facts = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    try:
        licence = metadata(name).get("License-Expression")
    except PackageNotFoundError:
        return None
    return {**facts, "licenses": [{"expression": licence}]} if licence else facts


if __name__ == "__main__":
    written = bill(Path(sys.argv[1]).read_text(encoding="utf-8"), metadata("tieout")["Version"])
    sys.stdout.write(json.dumps(written, indent=1) + "\n")
