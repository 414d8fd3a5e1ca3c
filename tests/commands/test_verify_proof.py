"""`tieout verify-proof`: a saved proof is what it says, or it is told what is not, without any books."""

import json
from io import BytesIO

import pytest

from tests.fixtures.desks import Desk
from tests.fixtures.helpers.documents import pdf, sent
from webapp.ledger.canonical import canonical_json

CSV = b"Date,Description,Amount\n2026-10-02,Zoe,-20.00\n2026-10-12,Out,-40.00\n"


@pytest.fixture
def saved(bank, desk, tmp_path):
    first, second = bank.send_many([("2026-10-02", "100.00", "Zoë"), ("2026-11-03", "-40.00", "Out")])
    desk.confirm(first, second)
    one = desk.prove("2026-10-31", "100.00")
    left = bank.send("2026-11-04", "-3.00", "On its way")
    desk.confirm(left)
    answers = [desk.put("2026-11-20", "60.00"), desk.clear(cleared=[second]), desk.complete()]
    assert answers[-1].status_code == 200, answers[-1].json
    two = answers[-1].json["reconciliation"]
    assert two["outstanding"]
    paths = []
    for proof in (one, two):
        path = tmp_path / f"proof-{proof['id']}.json"
        path.write_bytes(desk.person.get(f"/api/reconciliations/{proof['id']}").data)
        paths.append(path)
    return paths


def verify(installation, *paths):
    result = installation("verify-proof", "--json", *map(str, paths))
    return result.exit_code, json.loads(result.stdout)


def tampered(path, change):
    """Change a saved proof, and save it again."""
    answer = json.loads(path.read_text())
    change(answer["reconciliation"])
    path.write_text(json.dumps(answer))
    return path


def codes(answer):
    return [each["code"] for each in answer["findings"]]


def test_the_answer_of_the_api_is_canonical_json(saved):
    text = saved[0].read_text(encoding="utf-8")
    assert text == canonical_json(json.loads(text))


def test_saved_proofs_verify_without_books(installation, saved):
    status, answer = verify(installation, *saved)
    assert (status, answer["ok"], len(answer["proofs"]), answer["findings"]) == (0, True, 2, [])
    assert "adds up" in installation("verify-proof", str(saved[0])).stdout


def test_the_same_file_twice_is_checked_once(installation, saved):
    status, answer = verify(installation, *saved, saved[1])
    assert (status, answer["ok"], len(answer["proofs"])) == (0, True, 2)
    assert (
        "1 of the 3 proofs are copies" in installation("verify-proof", *map(str, [*saved, saved[0]])).stdout
    )


def test_what_the_digest_does_not_cover_is_listed(installation, saved):
    [proof] = [json.loads(saved[0].read_text())["reconciliation"]]
    _, answer = verify(installation, saved[0])
    assert {"openedAt", "status", "holds", "history", "completedBy.name"} <= set(answer["notCovered"])
    assert not {"statementBalance", "clearedBalance", "lines", "inSum", "completedBy"} & set(
        answer["notCovered"]
    )
    assert set(answer["notCovered"]) - {"completedBy.kind", "completedBy.name"} <= set(proof)
    assert "The digest does not cover these keys" in installation("verify-proof", str(saved[0])).stdout


def test_a_proof_that_was_reopened_is_reported_as_no_longer_in_force(installation, saved, desk):
    assert desk.reopen("The wrong month").status_code == 200
    desk.abandon()
    before = saved[1].read_bytes()
    proof_id = json.loads(before)["reconciliation"]["id"]
    saved[1].write_bytes(desk.person.get(f"/api/reconciliations/{proof_id}").data)
    status, answer = verify(installation, *saved)
    assert (status, answer["ok"], [each["code"] for each in answer["notes"]]) == (0, True, ["reopened"])
    assert [each["status"] for each in answer["proofs"]] == ["COMPLETED", "REOPENED"]
    [note] = answer["notes"]
    assert "was reopened on 20" in note["message"]
    assert "The wrong month" in note["message"]
    status, answer = verify(installation, tampered(saved[1], lambda proof: proof.update(status="COMPLETED")))
    assert (status, codes(answer)) == (1, ["state"])


def test_a_proof_that_took_the_place_of_a_reopened_one_follows_the_one_before(
    installation, saved, desk, tmp_path
):
    desk.reopen()
    again = desk.complete()
    assert again.status_code == 200, again.json
    path = tmp_path / "again.json"
    path.write_bytes(again.data)
    old = tmp_path / "old.json"
    old.write_bytes(
        desk.person.get(
            f"/api/reconciliations/{json.loads(saved[1].read_text())['reconciliation']['id']}"
        ).data
    )
    status, answer = verify(installation, *saved, old, path)
    assert (status, answer["findings"]) == (0, [])


def test_a_proof_that_was_broken_when_it_was_saved_is_reported(installation, saved, desk):
    proof = json.loads(saved[0].read_text())["reconciliation"]
    desk.void(proof["lines"][0]["journalEntryId"])
    saved[0].write_bytes(desk.person.get(f"/api/reconciliations/{proof['id']}").data)
    status, answer = verify(installation, saved[0])
    assert (status, answer["ok"], answer["proofs"][0]["holds"]) == (0, True, False)
    assert "was broken when it was saved, since 20" in answer["notes"][0]["message"]


def test_a_list_of_bare_proofs_verifies_too(installation, saved, tmp_path):
    both = tmp_path / "both.json"
    both.write_text(json.dumps([json.loads(path.read_text())["reconciliation"] for path in saved]))
    assert verify(installation, both)[0] == 0


TAMPERINGS = {
    "another day": (lambda proof: proof.update(statementDate="2026-10-30"), "digest"),
    "a line's day": (lambda proof: proof["lines"][0].update(bookedOn="2026-10-03"), "digest"),
    "another person": (lambda proof: proof["completedBy"].update(id=999), "digest"),
    "a line's amount": (lambda proof: proof["lines"][0].update(amount="100.01"), "difference"),
    "the books": (lambda proof: proof.update(ledgerBalance="99.00"), "books_differ"),
    "what is outstanding": (
        lambda proof: proof["outstanding"].append({**proof["lines"][0], "amount": "1.00"}),
        "books_differ",
    ),
    "the cleared balance": (lambda proof: proof.update(clearedBalance="100.01"), "figure"),
    "the difference": (lambda proof: proof.update(difference="5.00"), "figure"),
    "a sum": (lambda proof: proof.update(inSum="1.00"), "figure"),
    "another sum": (lambda proof: proof.update(outSum="-1.00"), "figure"),
    "a count": (lambda proof: proof.update(inCount=True), "figure"),
    "another count": (lambda proof: proof.update(clearedCount=2, outCount=1), "figure"),
    "no such status": (lambda proof: proof.update(status="DRAFT"), "state"),
    "half a reopening": (lambda proof: proof.update(reopenedAt="2026-11-01T09:00:00Z"), "state"),
    "a status alone": (lambda proof: proof.update(status="REOPENED"), "state"),
    "broken and holding": (lambda proof: proof.update(brokenBy={"field": "books"}), "state"),
    "no amount": (lambda proof: proof["lines"][0].update(amount="1e"), "amount"),
}


def test_every_tampering_is_told(installation, saved, subtests):
    whole = saved[0].read_bytes()
    for name, (change, code) in TAMPERINGS.items():
        saved[0].write_bytes(whole)
        with subtests.test(name):
            status, answer = verify(installation, tampered(saved[0], change))
            assert (status, answer["ok"]) == (1, False)
            assert code in codes(answer)


def test_a_proof_that_follows_another_one_is_told(installation, saved):
    status, answer = verify(
        installation, saved[0], tampered(saved[1], lambda proof: proof.update(previousDigest=None))
    )
    assert status == 1
    assert codes(answer) == ["digest", "proof_chain"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", "[1]", '{"reconciliation": null}', '{"digest": 1.5}', "[" * 100_000]
)
def test_what_is_no_proof_is_said_to_be_none(installation, tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    result = installation("verify-proof", str(path))
    assert result.exit_code == 1
    assert "is not a proof" in result.stderr


def test_a_draft_is_no_proof(installation, desk, bank, tmp_path):
    bank.send("2026-10-02", "100.00", "A line")
    draft = desk.put("2026-10-31", "100.00").json["account"]["draft"]["id"]
    path = tmp_path / "draft.json"
    path.write_bytes(desk.person.get(f"/api/reconciliations/{draft}").data)
    assert installation("verify-proof", str(path)).exit_code == 1


def proved(desk):
    """Prove a month whose lines came with a file, with its statement attached."""
    person, fa_id = desk.person, desk.bank.fa_id
    statement = sent(person, pdf("statement"), "october.pdf").json["document"]
    form = {"file": (BytesIO(CSV), "october.csv"), "faId": str(fa_id)}
    person.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    desk.confirm(*(each["id"] for each in person.get(f"/api/transactions?faId={fa_id}").json["transactions"]))
    return desk.prove("2026-10-31", "-60.00", documentId=statement["id"])


def test_saved_proofs_are_verified_with_their_files(installation, ben, bank, tmp_path):
    proof = proved(Desk(ben, bank.at(bank.open("Checking"))))
    saved, csv, right, wrong = (tmp_path / name for name in ("proof.json", "a.csv", "a.pdf", "b.pdf"))
    saved.write_text(json.dumps(proof))
    csv.write_bytes(CSV)
    right.write_bytes(pdf("statement"))
    wrong.write_bytes(pdf("altered"))

    def verify(*files):
        named = [part for each in files for part in ("--file", str(each))]
        result = installation("verify-proof", "--json", str(saved), *named)
        return result.exit_code, json.loads(result.stdout)

    status, answer = verify()
    assert (status, len(answer["filesNotGiven"])) == (0, 2)
    status, answer = verify(csv, right)
    assert (status, answer["filesNotGiven"], answer["findings"]) == (0, [], [])
    status, answer = verify(csv, wrong)
    assert (status, [each["code"] for each in answer["findings"]]) == (1, ["file"])
    saved.write_text(json.dumps({**proof, "statementDigest": "0" * 64}))
    status, answer = verify(csv)
    assert (status, [each["code"] for each in answer["findings"]]) == (1, ["digest"])
