"""Correcting and voiding on an entry's page: every state side by side, and what an act would do before it is done."""

import re
from html import unescape

from tests.fixtures.helpers.marks import on_sqlite
from webapp.queries.journal import correction_tables, void_previews
from webapp.queries.journal import entries as journal_entries


def said(answer):
    return " ".join(unescape(answer.text).split())


def plain(cell):
    """Read a cell as people do: a dash is nothing."""
    text = " ".join(unescape(re.sub("<[^>]*>", "", cell)).split())
    return text.replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "")


def rows(answer, part):
    inside = answer.text.partition(f'id="{part}"')[2].partition("</table>")[0]
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in inside.split("<tr")[1:]]
    return [[plain(cell) for cell in row] for row in cells if row]


def corrected(ada, bank, books):
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")
    entry = ada.post(f"/api/transactions/{line}/confirm").json["result"]["journalEntryIds"][0]
    ada.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Travel")})
    correction = ada.post(f"/api/transactions/{line}/confirm").json["result"]["journalEntryIds"][0]
    ada.patch(f"/api/transactions/{line}", json={"projectId": bank.project("Wayfinding")})
    marker = ada.get(f"/api/transactions/{line}").json["transaction"]["correctionMarkerId"]
    return line, entry, correction, marker


def test_a_waiting_correction_shows_every_state_and_what_it_would_post(ada, bank, books):
    _, entry, correction, marker = corrected(ada, bank, books)
    head = ["Account", "Project", f"Original {entry}", f"Correction {correction}", "Current"]
    assert rows(ada.browser().get(f"/journal/{entry}"), "corrections") == [
        [*head, f"Planned {marker}", "Will post"],
        ["Main account", "", "-100.00", "", "-100.00", "-100.00", ""],
        ["Uncategorised expenses", "", "100.00", "-100.00", "", "", ""],
        ["Travel", "", "", "+100.00", "100.00", "", "-100.00"],
        ["Travel", "Wayfinding", "", "", "", "100.00", "+100.00"],
    ]


def test_what_the_page_says_will_be_posted_is_posted(ada, bank, books, app):
    line, entry, _, _ = corrected(ada, bank, books)

    def will_post():
        table = correction_tables.correction_table(journal_entries.get(ada.organization_id, entry))
        return sorted(str(row.will_post) for row in table.rows if row.will_post)

    expected = bank.ask(will_post)
    posted = ada.post(f"/api/transactions/{line}/confirm").json["result"]["journalEntryIds"][0]
    entry = ada.get(f"/api/journal-entries/{posted}").json["entry"]
    assert sorted(posting["amount"] for posting in entry["postings"]) == expected


def test_a_correction_is_confirmed_as_the_page_shows_it_or_not_at_all(ada, bank, books):
    line, entry, _, marker = corrected(ada, bank, books)
    pages = ada.browser()
    shown = re.search(r'name="shown" value="([^"]*)"', pages.get(f"/journal/{entry}").text)[1]
    ada.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Rent")})
    refused = pages.post(f"/transactions/{line}/confirm", data={"shown": shown})
    assert (refused.status_code, "Travel</s> → <span" in refused.text) == (409, True)
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["correctionMarkerId"] == marker
    shown = re.search(r'name="shown" value="([^"]*)"', pages.get(f"/journal/{entry}").text)[1]
    assert pages.post(f"/transactions/{line}/confirm", data={"shown": shown}).status_code == 303


def test_a_waiting_correction_is_discarded_on_the_page(ada, bank, books):
    line, entry, _, _ = corrected(ada, bank, books)
    pages = ada.browser()
    assert pages.post(f"/journal/{entry}/correction/discard").location == f"/journal/{entry}"
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["correctionMarkerId"] is None
    assert "Target" not in rows(pages.get(f"/journal/{entry}"), "corrections")[0]
    (act,) = ada.get("/api/action-requests?kind=discard_correction").json["actionRequests"]
    assert act["target"] == {"kind": "transaction", "id": str(line)}
    assert pages.post(f"/journal/{entry}/correction/discard").status_code == 303
    assert len(ada.get("/api/action-requests?kind=discard_correction").json["actionRequests"]) == 1


def test_a_void_shows_what_is_in_force_and_the_reversal_that_it_posts(ada, bank, books):
    _, entry, correction, _ = corrected(ada, bank, books)
    page = ada.browser().get(f"/journal/{entry}")
    assert rows(page, "void") == [
        ["Account", "Customer or supplier", "Project", "Current", "Reversal, 2 Mar"],
        ["Main account", "", "", "-100.00", "+100.00"],
        ["Travel", "", "", "100.00", "-100.00"],
    ]
    assert f"including its corrections {correction}" in said(page)
    assert (
        "The bank line \N{LEFT DOUBLE QUOTATION MARK}DB ICE 571\N{RIGHT DOUBLE QUOTATION MARK} gets a new draft."
        in said(page)
    )
    assert "would no longer be valid" not in said(page)
    reversal = ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "A test"}).json
    posted = ada.get(f"/api/journal-entries/{reversal['result']['journalEntryIds'][0]}").json["entry"]
    assert [posting["amount"] for posting in posted["postings"]] == ["100.00", "-100.00"]


def test_the_proofs_that_a_void_names_are_those_that_it_breaks(ada, bank, desk, books):
    proved = bank.send("2026-03-02", "-100.00", "In the proof")
    left_open = bank.send("2026-03-03", "-7.00", "Left open")
    entries = {
        line: ada.post(f"/api/transactions/{line}/confirm").json["result"]["journalEntryIds"][0]
        for line in (proved, left_open)
    }
    body = {"statementDate": "2026-03-31", "statementBalance": "-100.00"}
    path = f"/api/reconciliations/accounts/{bank.fa_id}"
    assert ada.put(f"{path}/draft", json=body).status_code == 200
    assert ada.put(f"{path}/draft/lines", json={"cleared": [proved]}).status_code == 200
    done = ada.post(f"{path}/complete", json={})
    assert done.status_code == 200, done.json

    def named(entry):
        return bank.ask(
            lambda: [
                proof.id
                for proof in void_previews.void_preview(
                    journal_entries.get(ada.organization_id, entry)
                ).proofs
            ]
        )

    def holds():
        accounts = ada.get("/api/reconciliations/accounts").json["accounts"]
        return accounts[0]["anchor"]["holds"]

    assert named(entries[left_open]) == []
    ada.post(f"/api/journal-entries/{entries[left_open]}/void", json={"reason": "A test"})
    assert holds() is True
    assert named(entries[proved]) == [done.json["reconciliation"]["id"]]
    page = ada.browser().get(f"/journal/{entries[proved]}")
    assert "Main account, 31 Mar 2026</a> would no longer be valid." in said(page)
    assert "and break the proof" in said(page)
    ada.post(f"/api/journal-entries/{entries[proved]}/void", json={"reason": "A test"})
    assert holds() is False


@on_sqlite
def test_a_posted_lines_entry_leads_to_where_it_is_corrected(ada, bank, books, cleo):
    line = bank.send("2026-03-02", "-100.00")
    entry = ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    assert "Correct…" not in ada.browser().get(f"/journal/{entry}").text
    ada.post(f"/api/transactions/{line}/confirm")
    page = ada.browser().get(f"/journal/{entry}")
    place = f"/feeds/{bank.fa_id}?show=all&line={line}"
    assert place in unescape(page.text)
    assert ada.browser().get(f"{place}&edit=splits").status_code == 200
    assert "Correct…" not in cleo.browser().get(f"/journal/{entry}").text
