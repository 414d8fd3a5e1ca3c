"""What must hold of the look whatever the pages are."""

import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "webapp" / "static"
OWN = [path for path in STATIC.rglob("*.*") if "vendor" not in path.parts]
CSS = (STATIC / "app.css").read_text()
TEXT = ("ink", "ink-2", "ink-3", "accent", "good", "warn", "bad")
GROUNDS = ("canvas", "surface", "sunken")


def tokens(scheme):
    both = re.findall(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS)
    return {name: light if scheme == "light" else dark for name, light, dark in both}


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_every_ground(scheme):
    colours = tokens(scheme)
    pairs = [(text, ground) for text in TEXT for ground in GROUNDS]
    pairs += [
        ("on-accent", "accent"),
        ("on-accent", "accent-over"),
        ("ink-2", "chip"),
        ("accent", "accent-soft"),
    ]
    pairs += [(tone, f"{tone}-soft") for tone in ("good", "warn", "bad")]
    faint = {
        (text, ground): round(contrast(colours[text], colours[ground]), 2)
        for text, ground in pairs
        if contrast(colours[text], colours[ground]) < 4.5
    }
    assert not faint


def test_the_script_builds_no_markup_and_keeps_nothing_in_the_browser():
    script = "".join(path.read_text() for path in OWN if path.suffix == ".js")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|\beval\b|new Function|Storage\b", script)


def test_styles_and_script_load_nothing_from_elsewhere():
    elsewhere = r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)"
    assert not any(re.search(elsewhere, path.read_text()) for path in OWN)
