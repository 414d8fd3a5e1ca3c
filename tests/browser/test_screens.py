"""Every page on screens and paper, on the demo's books: nothing is cut, and there are pictures to look at."""

import re

import pytest

from tests.browser.conftest import MODES
from tests.fixtures.bank_files.camt_files import balance, entry, message, statement
from tests.fixtures.screens import PAGES
from tests.tree import UNPLAIN

# On these the short run looks for what a phone would scroll sideways.
WIDEST = (
    "workspace-split",
    "entry-edit",
    "import-columns",
    "approval-breaks",
    "trial-balance",
    "general-ledger",
    "chart",
    "tables",
)
# Tables that are lower than their rows: what is below their edge is not shown.
CUT = """[...document.querySelectorAll("main table")].some((table) =>
    [...table.rows].some((row) => row.getBoundingClientRect().bottom > table.getBoundingClientRect().bottom + 1))"""

# A mark stands beside the value that a rule has set, or its row is higher than the others.
# Below a phone, above it, and on both sides of where a layout changes.
WIDTHS = (320, 447, 760, 1121)
# The widths of sheets within their margins. Nothing that acts is printed, but a button that is a value or a state.
SHEETS = {"auto": 658, "wide": 1047, "widest": 1512}
SHEET = """[...document.querySelectorAll("main, main *")].map((each) => getComputedStyle(each).page)
    .find((page) => page !== "auto") || 'auto'"""
ACTING = "main button:not(.value, .switch, .tick.is-cleared):visible"

BELOW = """[...document.querySelectorAll(".line .by-rule")].some((mark) => mark.getClientRects().length &&
    mark.getBoundingClientRect().top >= mark.previousElementSibling.getBoundingClientRect().bottom - 1)"""
# A heading that runs into the next one.
RUNS_OVER = """[...document.querySelectorAll("main thead th")].filter((each) =>
    each.scrollWidth > each.clientWidth + 2 && getComputedStyle(each).overflow === "visible"
).map((each) => each.innerText)"""
# A page has one act of its own, and no field hides a part of its day.
PRIMARY = """[...document.querySelectorAll("main .button.accent")].filter((each) =>
    each.checkVisibility()).map((each) => each.innerText)"""
SHORT = """[...document.querySelectorAll(".day-input .input")].filter((each) =>
    each.scrollWidth > each.clientWidth).map((each) => each.value)"""
# Other languages have longer words.
LONGER = {**MODES["light"], "extra_http_headers": {"Accept-Language": "la"}}
GERMAN = {**MODES["light"], "locale": "de"}


def month(opening, closing, *days):
    stated = balance("OPBD", opening, days[0]), balance("CLBD", closing, on=days[-1])
    lines = [entry(booked=day, reference=day) for day in days]
    pending = entry("7.00", booked=days[-1], reference="P", status="PDNG")
    return message(statement(stated[0], *lines, pending, stated[1]))


def look_at(page, data):
    """Choose a file; answers the address of its preview."""
    page.goto("/imports/new")
    file = {"name": "studio.xml", "mimeType": "text/xml", "buffer": data}
    page.set_input_files("input[type=file]", file)
    page.wait_for_url(re.compile(r"/imports/\d+$"))
    return page.url


def look_at_a_mismatch(page):
    """Import a month, and look at the next one, which neither goes on from it nor adds up."""
    look_at(page, month("100.00", "87.50", "2026-09-30"))
    page.click(".foot button.accent")
    page.get_by_text("1 line was added").wait_for()
    return look_at(page, month("90.00", "58.00", "2026-10-02", "2026-10-30"))


def too_narrow(page):
    """List the widths that the page is wider than; its sheet of paper is one of them, and shows no button."""
    own = page.viewport_size
    found = []
    for width in (own["width"], *WIDTHS, "paper"):
        if width == "paper":
            page.emulate_media(media="print")
        shown = width if width != "paper" else SHEETS[page.evaluate(SHEET)]
        page.set_viewport_size({**own, "width": shown})
        is_acting = width == "paper" and page.locator(ACTING).count()
        if is_acting or page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(width)
    page.emulate_media(media="screen")
    page.set_viewport_size(own)
    return found


@pytest.mark.rare
def test_every_page_is_shown_in_light_in_dark_and_on_a_phone(browse, mara, pseudo, picture, rounds):
    shown = rounds({name: PAGES[name] for name in WIDEST}, PAGES)
    addresses = {**shown, "import-mismatch": look_at_a_mismatch(browse(mara))}
    sideways, cut, below, unplain, several = [], [], [], [], []
    for mode, options in rounds({"longer": LONGER}, MODES | {"longer": LONGER, "german": GERMAN}).items():
        page = browse(mara, **options)
        for name, address in addresses.items():
            answer = page.goto(address.format(**vars(mara)))
            assert answer.status == 200, address
            picture(page, f"{name}-{mode}")
            sideways += [(name, mode, width) for width in too_narrow(page)]
            cut += [(name, mode, each) for each in page.evaluate(RUNS_OVER) + page.evaluate(SHORT)]
            if len(acts := page.evaluate(PRIMARY)) > 1:
                several.append((name, mode, acts))
            if page.evaluate(CUT):
                cut.append(f"{name}-{mode}")
            if page.evaluate(BELOW):
                below.append(f"{name}-{mode}")
            if found := UNPLAIN.findall(page.inner_text("main")):
                unplain.append((name, found))
        visitor = browse(**options)
        visitor.goto("/sign-in")
        picture(visitor, f"sign-in-{mode}")
    assert (sideways, cut, below, unplain, several) == ([], [], [], [], [])
