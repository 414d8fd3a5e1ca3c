"""What the browser is sent is what the manifest says."""

import hashlib
import json
import re
from pathlib import Path

import pytest

WEBAPP = Path(__file__).parents[2] / "webapp"
VENDOR = WEBAPP / "static" / "vendor"
MANIFEST = json.loads((VENDOR / "manifest.json").read_text())


@pytest.mark.parametrize("entry", MANIFEST, ids=lambda entry: entry["file"])
def test_a_vendored_file_has_the_bytes_its_manifest_names(entry):
    assert hashlib.sha256((VENDOR / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]
    assert entry["version"] in entry["file"]
    assert entry["licence"]


def test_nothing_lies_beside_the_manifest_that_it_does_not_name():
    named = {entry["file"] for entry in MANIFEST} | {entry["licenceFile"] for entry in MANIFEST}
    assert {path.name for path in VENDOR.iterdir()} == named | {"manifest.json"}


def test_every_icon_a_template_asks_for_is_in_the_sprite():
    sprite = next(VENDOR.glob("icons-*.svg")).read_text()
    drawn = set(re.findall(r'<symbol id="([a-z0-9-]+)"', sprite))
    asked = {
        name
        for template in (WEBAPP / "templates").rglob("*.html")
        for name in re.findall(r'\bicon\("([a-z0-9-]+)"', template.read_text())
    }
    assert asked <= drawn


def test_the_pages_load_the_files_of_the_manifest():
    base = (WEBAPP / "templates" / "base.html").read_text()
    macro = (WEBAPP / "templates" / "macros" / "icons.html").read_text()
    assert all(f"vendor/{entry['file']}" in base + macro for entry in MANIFEST)
