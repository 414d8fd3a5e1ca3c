"""Reports, journal and entries on paper: all columns, no controls, twelve months across A4, twenty-four across A3."""

import re

import pytest

# What is within the margins of a sheet, at 96 pixels an inch.
A4, A3 = {"width": 1047, "height": 718}, {"width": 1512, "height": 1047}
BOX = re.compile(rb"/MediaBox \[0 0 ([0-9]+)[.0-9]* ([0-9]+)")


@pytest.mark.rare
@pytest.mark.parametrize(
    ("first", "months", "sheet", "points"),
    [("2026-01-01", 12, A4, [842, 595]), ("2025-01-01", 24, A3, [1191, 842])],
)
def test_a_report_is_whole_on_paper(browse, ada, books, first, months, sheet, points):
    books.post("""
    account Bank ASSET

    2025-03-01 Sales
        Bank              123456.78 EUR
        Sales of services

    2026-02-11 Rent
        Rent               98765.43 EUR
        Bank
    """)
    page = browse(ada, viewport=sheet)
    for report in ("profit-and-loss", "balance-sheet", "trial-balance"):
        page.goto(f"/reports/{report}?from={first}&to=2026-12-31&months=true&compareWith=previous_year")
        page.emulate_media(media="print")
        assert page.locator("thead th").count() >= months
        assert not page.is_visible(".list-tools")
        assert not page.is_visible("header .menu")
        assert page.evaluate("document.querySelector('.table').scrollWidth") <= sheet["width"]
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
        box = BOX.search(page.pdf(prefer_css_page_size=True))
        assert [abs(int(each) - point) <= 1 for each, point in zip(box.groups(), points, strict=True)] == [
            True,
            True,
        ]
    page.set_viewport_size({"width": 658, "height": 930})
    for address in ("/journal", "/journal/1"):
        page.goto(address)
        page.emulate_media(media="print")
        assert page.locator(".button:visible").count() == 0
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.goto("/reports/general-ledger?from=2025-01-01&to=2026-12-31")
    box = BOX.search(page.pdf(prefer_css_page_size=True))
    assert int(box[1]) < int(box[2])
