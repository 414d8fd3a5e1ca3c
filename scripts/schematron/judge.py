"""The official verdicts: this runs in an environment of its own, with nothing of ours and Saxon.

    python judge.py CHECKOUT < paths.json

Of each file of a list of [name, path, "ubl" or "cii"] it prints a line of JSON: [name, the rules that fail], or
[name, null] where the stylesheet itself breaks off.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

STYLESHEETS = {
    "ubl": "ubl/xslt/EN16931-UBL-validation.xslt",
    "cii": "cii/xslt/EN16931-CII-validation.xslt",
}
FAILED = re.compile(r"<svrl:failed-assert\b[^>]*?\sid=\"([^\"]+)\"", re.DOTALL)


def main(checkout: Path) -> None:
    """Judge each file."""
    from saxonche import (  # type: ignore[import-not-found]  # noqa: PLC0415  (there is none outside that environment)
        PySaxonApiError,
        PySaxonProcessor,
    )

    with PySaxonProcessor(license=False) as processor:
        compiler = processor.new_xslt30_processor()
        rules = {
            syntax: compiler.compile_stylesheet(stylesheet_file=str(checkout / path))
            for syntax, path in STYLESHEETS.items()
        }
        for name, path, syntax in json.load(sys.stdin):
            try:
                node = processor.parse_xml(xml_file_name=path)
                written = rules[syntax].transform_to_string(xdm_node=node)
                failed = sorted(set(FAILED.findall(written)))
            except PySaxonApiError:
                failed = None
            sys.stdout.write(json.dumps([name, failed]) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
