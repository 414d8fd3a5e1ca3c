"""What the browser is sent is what the manifest says."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from webapp.web.rendering.context import ICONS

ROOT = Path(__file__).parents[2]
WEBAPP = ROOT / "webapp"
VENDOR = WEBAPP / "static" / "vendor"
FOR_TESTS = ROOT / "tests" / "browser" / "vendor"
MANIFESTS = {folder: json.loads((folder / "manifest.json").read_text()) for folder in (VENDOR, FOR_TESTS)}
MANIFEST = MANIFESTS[VENDOR]
FILES = [(folder, entry) for folder, entries in MANIFESTS.items() for entry in entries]


@pytest.mark.parametrize(("folder", "entry"), FILES, ids=[entry["file"] for _, entry in FILES])
def test_a_vendored_file_has_the_bytes_its_manifest_names(folder, entry):
    assert hashlib.sha256((folder / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]
    assert entry["version"] in entry["file"]
    assert entry["licence"]


@pytest.mark.parametrize("folder", MANIFESTS, ids=["served", "for tests"])
def test_nothing_lies_beside_the_manifest_that_it_does_not_name(folder):
    named = {entry[key] for entry in MANIFESTS[folder] for key in ("file", "licenceFile")}
    assert {path.name for path in folder.iterdir()} == named | {"manifest.json"}


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
    assert all(f"vendor/{entry['file']}" in base + ICONS for entry in MANIFEST)
