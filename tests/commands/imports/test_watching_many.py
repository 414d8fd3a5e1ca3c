"""Files that lie in a folder together are taken together, and each becomes what it would have become alone."""

import re

import pytest

from tests.api.documents.test_document_rules import make
from tests.commands.imports.test_watch import contents, folder, sentence, watch  # noqa: F401  (fixtures)
from tests.fixtures import invoices
from tests.fixtures.bank_files.ofx_statements import bank_file
from tests.fixtures.helpers.documents import pdf
from tests.fixtures.helpers.replays import everything
from webapp.services.documents import filings
from webapp.services.inbox import arrivals, drop_folders
from webapp.services.inbox.drop_folders import DropFolder

pytestmark = pytest.mark.usefixtures("sound")
IBAN = "DE02120300000000202051"


def numbered(number, **facts):
    return invoices.ubl(number=f"RE-{number}", remittance=f"RE-{number}", **facts)


# In the order in which they are taken: by name.
FILES = {
    "a.xml": numbered(1001),
    "b.xml": numbered(1001),
    "c.xml": invoices.cii(number="RE-1002", remittance="RE-1002"),
    "d.xml": numbered(1001, gross="172.49"),
    "e.pdf": pdf("A meal"),
    "f.ofx": bank_file(),
    "g.txt": b"Taxi, 12.00 EUR, paid in cash.",
    "h.html": b"<html><body>Sign in</body></html>",
    "i.pdf": b"",
    "j.xml": numbered(1003, seller="Another Ltd", seller_vat="DE999999999"),
}


def outcome(folder):  # noqa: F811
    """What lies where, and the beginning of each sentence, without ids."""
    return {
        name: re.sub("[0-9]+", "N", sentence(folder, name)) if (folder / f"{name}.txt").exists() else None
        for name in sorted(contents(folder))
    }


def facts(person):
    documents = everything(person, "documents", "documents")
    waiting = person.get("/api/inbox").json["files"]
    names = ("number", "sender", "total", "fileName", "orgMerchantId", "findings")
    return (
        sorted(tuple(str(each[name]) for name in names) for each in documents),
        sorted((each["fileName"], each["code"]) for each in waiting),
    )


def test_files_become_together_what_each_becomes_alone(watch, folder, ada, dan, app, monkeypatch):  # noqa: F811
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    watch()
    together = outcome(folder), facts(ada)

    alone = folder.parent / "alone"
    alone.mkdir()
    monkeypatch.setattr(drop_folders, "MOST_TOGETHER", 1)
    for name, data in FILES.items():
        (alone / name).write_bytes(data)
    watch(str(alone), "--organization", dan.organization_id)

    assert together == (outcome(alone), facts(dan))


def test_each_of_many_is_an_act_of_its_own_and_is_attached_to_the_line_that_pays_it(watch, folder, ada, bank):  # noqa: F811
    line = bank.send("2026-03-16", "-172.50", "Thank you RE-1002", iban=IBAN)
    for number in (1001, 1002, 1003):
        (folder / f"{number}.xml").write_bytes(numbered(number))

    watch()

    done = ada.get("/api/action-requests?kind=create_document").json["actionRequests"]
    documents = everything(ada, "documents", "documents")
    assert len({each["id"] for each in done}) == len(documents) == 3
    assert {each["target"]["id"] for each in done} == {str(each["id"]) for each in documents}
    attached = {each["number"]: [one["transactionId"] for one in each["relations"]] for each in documents}
    assert attached == {"RE-1001": [], "RE-1002": [line], "RE-1003": []}


def test_rules_and_merchants_are_those_of_each_document(watch, folder, ada, bank):  # noqa: F811
    paper, ink, project = bank.merchant("Paper Shop Ltd"), bank.merchant("Ink Ltd"), bank.project("Fair")
    sets = {"kind": "SET_PROJECT", "projectId": project}
    make(
        ada, [sets], [{"field": "SENDER", "operator": "EQUALS", "value": "Ink Ltd"}], trigger="RECEIPT_PARSED"
    )
    (folder / "paper.xml").write_bytes(numbered(1001))
    (folder / "ink.xml").write_bytes(numbered(1002, seller="INK LTD", seller_vat="DE999999999", iban="DE1"))

    watch()

    documents = everything(ada, "documents", "documents")
    found = {each["number"]: (each["orgMerchantId"], each["projectId"]) for each in documents}
    assert found == {"RE-1001": (paper, None), "RE-1002": (ink, project)}


def test_where_the_books_refuse_many_together_each_is_taken_alone(watch, folder, ada, monkeypatch):  # noqa: F811
    for number in (1001, 1002):
        (folder / f"{number}.xml").write_bytes(numbered(number))
    monkeypatch.setattr(filings.stored_files, "keep_all", _full)

    watch()

    assert {each["number"] for each in everything(ada, "documents", "documents")} == {"RE-1001", "RE-1002"}
    assert {path.name for path in (folder / "done").iterdir()} >= {"1001.xml", "1002.xml"}


def _full(*_arguments, **_named):
    raise OSError(28, "No space left on device")


def test_files_are_taken_together_up_to_a_number_and_a_size(folder, monkeypatch):  # noqa: F811
    monkeypatch.setattr(drop_folders, "MOST_TOGETHER", 3)
    monkeypatch.setattr(drop_folders, "MOST_BYTES_TOGETHER", 10)
    for name, size in {"a": 4, "b": 4, "c": 4, "d": 20, "e": 1, "f": 1, "g": 1, "h": 1}.items():
        (folder / name).write_bytes(b"x" * size)
    dropped = DropFolder(folder)
    with dropped.opened():
        list(dropped.whole(0.0))
        found = list(dropped.whole(5.0))

    assert found == [["a", "b"], ["c"], ["d"], ["e", "f", "g"], ["h"]]
    assert arrivals.MOST_BYTES > drop_folders.MOST_BYTES_TOGETHER
