"""What browser tests share: they look at pages, not at databases, and take pictures where there is time for them."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "screenshots"
MODES = {
    "light": {"viewport": {"width": 1440, "height": 900}},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}},
}


@pytest.fixture
def database_kind():
    return "sqlite"


@pytest.fixture
def modes(rounds):
    """Look at pages on a phone, where what is too wide shows, or under `make test-full` in light and dark too."""
    return rounds({"phone": MODES["phone"]}, MODES)


@pytest.fixture
def picture(rounds):
    """Take a picture of a page for eyes to look at, under `make test-full`."""

    def take(page, name, **options):
        FOLDER.mkdir(exist_ok=True)
        page.screenshot(path=FOLDER / f"{name}.png", **options)

    return rounds(lambda *_, **__: None, take)
