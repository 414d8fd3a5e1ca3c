"""`tieout verify-proof --file`: the files that a proof rests on are the ones that it names."""

import json
from io import BytesIO

from tests.fixtures.desks import Desk
from tests.fixtures.helpers.documents import pdf, sent

CSV = b"Date,Description,Amount\n2026-10-02,Zoe,-20.00\n2026-10-12,Out,-40.00\n"


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
