"""Documents belong to lines and entries: said and taken back, told by confirming and by entries, changing neither."""

import pytest

from tests.api.transactions.test_edit_transaction import entry_of
from tests.fixtures.banks import AT
from tests.fixtures.helpers.documents import DOCUMENTS, filed, read
from webapp.database.sessions import db
from webapp.models import DocumentRelation

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def line(bank):
    return bank.send("2026-03-02", "-119.00", "Hetzner")


def relate(person, document, **named):
    answer = person.post(f"{DOCUMENTS}/{document['id']}/relations", json=named)
    assert answer.status_code in {200, 201}, answer.json
    return answer


def acts(person):
    return person.get("/api/action-requests").json["actionRequests"]


def test_a_relation_is_made_once_and_is_one_act(ben, bank, line):
    document = filed(ben, sender="Hetzner")
    first = relate(ben, document, transactionId=line)
    relation = first.json["relation"]
    assert (first.status_code, relation["transactionId"], relation["journalEntryId"]) == (201, line, None)
    told = acts(ben)
    assert (told[0]["kind"], told[0]["target"]) == (
        "relate_document",
        {"kind": "document", "id": str(document["id"])},
    )
    again = relate(ben, document, transactionId=line)
    assert (again.status_code, again.json["relation"]) == (200, relation)
    assert acts(ben) == told
    assert read(ben, document)["relations"] == [relation]
    gone = ben.delete(f"{DOCUMENTS}/{document['id']}/relations", json={"transactionId": line})
    assert (gone.status_code, gone.json) == (200, {"ok": True, "changed": True})
    told = acts(ben)
    assert told[0]["kind"] == "unrelate_document"
    again = ben.delete(f"{DOCUMENTS}/{document['id']}/relations", json={"transactionId": line})
    assert again.json == {"ok": True, "changed": False, "waiting": []}
    assert acts(ben) == told
    assert read(ben, document)["relations"] == []


def test_one_thing_is_named_and_it_is_there(ben, dan, bank, line):
    document = filed(ben, sender="Hetzner")
    address = f"{DOCUMENTS}/{document['id']}/relations"
    foreign = bank.of(dan).send("2026-03-02", "-1.00")
    for ask in (ben.post, ben.delete):
        both = {"transactionId": line, "journalEntryId": 1}
        for body in ({}, both, {"transactionId": "1"}, {"transactionId": foreign}, {"journalEntryId": 2**53}):
            assert ask(address, json=body).status_code == 422, body
    assert dan.post(address, json={"transactionId": foreign}).status_code == 404
    assert read(ben, document)["relations"] == []


def test_confirming_names_the_relations_of_the_line_and_a_repeat_the_same(ben, bank, line):
    one, two = filed(ben, number="1"), filed(ben, number="2")
    relations = [
        relate(ben, one, transactionId=line).json["relation"]["id"],
        relate(ben, two, journalEntryId=entry_of(ben, line)["id"]).json["relation"]["id"],
    ]
    relate(ben, one, transactionId=bank.send("2026-03-02", "-1.00"))
    answers = [ben.post(f"/api/transactions/{line}/confirm").json for _ in range(2)]
    assert [answer["changed"] for answer in answers] == [True, False]
    assert [answer["result"]["documentRelationIds"] for answer in answers] == [relations] * 2


def test_posting_an_entry_of_ones_own_names_its_relations(ben, bank):
    expense, equity = bank.account("Food"), bank.role("opening_balances")
    legs = [{"accountId": expense, "amount": "5.00"}, {"accountId": equity, "amount": "-5.00"}]
    body = {"effectiveAt": "2026-03-02", "description": "By hand", "postings": legs}
    entry = ben.post("/api/journal-entries", json=body).json["entry"]
    document = filed(ben, documentType="RECEIPT", sender="Nero")
    relation = relate(ben, document, journalEntryId=entry["id"]).json["relation"]["id"]
    posted = ben.post(f"/api/journal-entries/{entry['id']}/post", json={}).json
    assert posted["result"]["documentRelationIds"] == [relation]
    origin = ben.get(f"/api/journal-entries/{entry['id']}").json["entry"]["origin"]
    assert (origin["kind"], origin["documentId"], origin["documentType"]) == (
        "manual",
        document["id"],
        "RECEIPT",
    )


def test_an_entry_tells_the_first_document_of_its_line_and_changes_in_nothing_else(ben, bank, line):
    before = entry_of(ben, line)
    assert before["origin"]["documentId"] is None
    bill = filed(ben, documentType="BILL", sender="Hetzner")
    relate(ben, bill, transactionId=line)
    relate(ben, filed(ben, documentType="OTHER"), transactionId=line)
    after = entry_of(ben, line)
    named = {"documentId": bill["id"], "documentType": "BILL"}
    assert after == {**before, "origin": {**before["origin"], **named}}
    ben.post(f"/api/transactions/{line}/confirm")
    ben.post(f"/api/journal-entries/{after['id']}/void", json={"reason": "Wrong"})
    fresh = entry_of(ben, line)
    assert fresh["id"] != after["id"]
    assert fresh["origin"]["documentId"] == bill["id"]


def test_a_list_of_entries_costs_no_more_for_its_documents(ben, bank, at_most):
    lines = bank.send_many([("2026-03-02", "-1.00", f"Line {number}") for number in range(4)])
    with at_most(30) as few:
        ben.get("/api/journal-entries")
    for each in lines:
        relate(ben, filed(ben, number=str(each)), transactionId=each)
    with at_most(len(few)):
        entries = ben.get("/api/journal-entries").json["entries"]
    assert all(each["origin"]["documentId"] for each in entries)


def test_a_relation_goes_with_what_it_names(ben, bank):
    document = filed(ben, sender="Nero")
    expense, equity = bank.account("Food"), bank.role("opening_balances")
    legs = [{"accountId": expense, "amount": "5.00"}, {"accountId": equity, "amount": "-5.00"}]
    entry = ben.post("/api/journal-entries", json={"effectiveAt": "2026-03-02", "postings": legs}).json[
        "entry"
    ]
    relate(ben, document, journalEntryId=entry["id"])
    assert ben.delete(f"/api/journal-entries/{entry['id']}").status_code == 200
    assert read(ben, document)["relations"] == []


def test_the_database_refuses_a_relation_across_organizations(ben, dan, bank, line):
    foreign = filed(dan, number="1")

    def write():
        row = DocumentRelation(
            organization_id=ben.organization_id,
            document_id=foreign["id"],
            transaction_id=line,
            created_at=AT,
        )
        db.session.add(row)
        db.session.flush()

    with pytest.raises(Exception, match=r"(?i)foreign key"):
        bank.ask(write)


def test_a_viewer_relates_nothing(ada, cleo, bank, line):
    document = filed(ada, number="1")
    address = f"{DOCUMENTS}/{document['id']}/relations"
    assert cleo.post(address, json={"transactionId": line}).status_code == 403
    assert cleo.delete(address, json={"transactionId": line}).status_code == 403
