"""Merging merchants on their pages: the preview, the merge, and the way back."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite


@pytest.fixture
def shops(ada, bank):
    found = {name: bank.merchant(name) for name in ("REWE Markt", "Rewe")}
    food = bank.account("Food")
    lines = bank.send_many([("2026-03-01", "-1.00", "One"), ("2026-03-02", "-2.00", "Two")])
    for line, merchant in zip(lines, found.values(), strict=True):
        ada.patch(f"/api/transactions/{line}", json={"accountId": food, "orgMerchantId": merchant})
    ada.post(f"/api/transactions/{lines[0]}/confirm")
    return found


def words(answer):
    assert answer.status_code == 200
    return " ".join(answer.text.split())


@pytest.mark.both
def test_what_moves_is_shown_and_merging_leads_to_the_one_that_counts(ada, shops):
    browser, (markt, rewe) = ada.browser(), shops.values()
    assert f"/merchants/{markt}/merge" in words(browser.get(f"/merchants/{markt}"))
    preview = words(browser.get(f"/merchants/{markt}/merge?mergedIntoId={rewe}"))
    rows = preview.split("<tbody>")[1]
    assert rows.count(">1</td>") == 6
    together = rows.split("Together, as Rewe")[1]
    assert '<td class="number">2</td>' in together
    assert 'value="-1.00"' in together
    answer = browser.post(f"/merchants/{markt}/merge", data={"mergedIntoId": rewe})
    assert answer.headers["Location"] == f"/merchants/{rewe}"
    page = words(browser.get(f"/merchants/{rewe}"))
    assert "Merged into this one" in page
    assert f'action="/merchants/{markt}/separate"' in page
    merged = words(browser.get(f"/merchants/{markt}"))
    assert "Merged into" in merged
    assert "Twelve months" not in merged
    assert "REWE Markt" not in words(browser.get("/merchants"))
    found = words(browser.get("/search?q=rewe+markt"))
    assert f'href="/merchants/{rewe}"' in found
    journal = words(browser.get(f"/journal?orgMerchantId={markt}"))
    assert "REWE Markt" not in journal
    assert f'<option value="{rewe}" selected>Rewe</option>' in journal
    answer = browser.post(f"/merchants/{markt}/separate")
    assert answer.headers["Location"] == f"/merchants/{markt}"
    assert "Merged into this one" not in words(browser.get(f"/merchants/{rewe}"))


@on_sqlite
def test_a_merge_that_cannot_be_says_why_on_its_page(ada, cleo, bank, shops):
    browser, (markt, rewe) = ada.browser(), shops.values()
    answer = browser.post(f"/merchants/{markt}/merge", data={})
    assert (answer.status_code, "Choose a customer or supplier." in answer.text) == (422, True)
    ada.post(f"/api/merchants/{rewe}/merge", json={"mergedIntoId": bank.merchant("REWE SAGT DANKE")})
    answer = browser.post(f"/merchants/{markt}/merge", data={"mergedIntoId": rewe})
    assert answer.status_code == 409
    assert "“Rewe” is merged into “REWE SAGT DANKE”." in answer.text
    assert "Merge into…" not in cleo.browser().get(f"/merchants/{markt}").text
