"""A file that asks, in Chromium: its columns are told with the preview following, and it is imported so."""

import pytest
from playwright.sync_api import expect

WORDLESS = (
    "Wann;Womit;Was;Wieviel\n"
    "03/04/2026;Karte;Markthalle Neun Berlin;-18.40\n"
    "04/04/2026;Lastschrift;Miete April, Vertrag 2291;-1450.00\n"
    "04/04/2026;Gutschrift;INV-1051 Halden wayfinding;3570.00\n"
)


@pytest.mark.rare
def test_a_file_that_asks_is_told_its_columns_with_the_lines_following(browse, ben):
    page = browse(ben)
    page.goto("/imports/new")
    page.get_by_label("Files").set_input_files(
        {"name": "april.csv", "mimeType": "text/csv", "buffer": WORDLESS.encode()}
    )
    expect(page.get_by_text("Check which column is what.")).to_be_visible()
    expect(page.get_by_label("Header")).to_have_value("0")
    question = page.get_by_role("group", name="Is “03/04/2026” a day in which month?")
    question.get_by_label("3 Apr 2026").click()  # the question is gone once it is answered
    lines = page.get_by_role("region", name="Preview")
    expect(lines).to_contain_text("3 Apr 2026")
    expect(lines).to_contain_text("−1,450.00")
    expect(lines).to_contain_text("2,101.60")
    expect(lines).not_to_contain_text("Lastschrift")
    page.get_by_label("Column 2 Womit is").select_option("Counterparty")
    expect(lines).to_contain_text("Lastschrift")
    page.get_by_role("button", name="See all rows and choose the account").click()
    page.get_by_label("Name of the new account").fill("Markt")
    page.get_by_role("button", name="Import 3 lines").click()
    expect(page.get_by_text("3 lines were added")).to_be_visible()
    page.goto("/imports/new")
    page.get_by_label("Files").set_input_files(
        {"name": "again.csv", "mimeType": "text/csv", "buffer": WORDLESS.encode()}
    )
    expect(page.get_by_text("The columns were read as remembered for")).to_be_visible()
