"""The files of an archive are taken as if each came by itself, at every door; a refused archive is kept whole."""

from base64 import b64encode
from io import BytesIO

import pytest
from click.testing import CliRunner

from tests.api.imports.test_imports import MARCH, PATH, lines_of
from tests.fixtures import invoices
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.documents import DOCUMENTS, WEB_PAGE, pdf
from tests.fixtures.helpers.planning import approve
from tests.fixtures.helpers.planning import send as send_plan
from tests.importers.test_archives import HOSTILE, packed
from webapp.cli import main

pytestmark = pytest.mark.usefixtures("sound")

BANK = bank_file(*MARCH)
ALL = [
    ("2026/march.ofx", BANK),
    ("invoice.xml", invoices.ubl()),
    ("meal.pdf", pdf("A meal")),
    ("x.html", WEB_PAGE),
]


def put(person, *files):
    parts = [(BytesIO(data), name) for name, data in files]
    answer = person.browser().post("/inbox", data={"file": parts}, content_type="multipart/form-data")
    assert answer.status_code == 200, answer.text
    return answer.text


def send(person, data, name="files.zip", **form):
    parts = {"file": (BytesIO(data), name), **form}
    return person.post(PATH, data=parts, content_type="multipart/form-data")


def waiting(person):
    return {each["fileName"]: each["question"] for each in person.get("/api/inbox").json["files"]}


def names_of_documents(person):
    return sorted(each["fileName"] for each in person.get(DOCUMENTS).json["documents"])


def test_the_inbox_takes_each_file_and_says_what_became_of_it(ada):
    page = put(ada, ("files.zip", packed(ALL)))
    for name, _ in ALL:
        assert f"files.zip/{name}" in page
    assert "Results for 4 files" in page
    assert ada.get(PATH).json["imports"][0]["fileName"] == "march.ofx"
    assert len(lines_of(ada)) == len(MARCH)
    assert names_of_documents(ada) == ["invoice.xml", "meal.pdf"]
    assert list(waiting(ada)) == ["x.html"]
    again = put(ada, ("files.zip", packed(ALL)))
    assert again.count("Already there") == 3
    assert len(lines_of(ada)) == len(MARCH)


def of_all(answer):
    """What became of the files of ALL, by the ids of what they became."""
    assert answer.status_code < 300, answer.json
    found = {each["fileName"].partition("/")[2]: each for each in answer.json["files"]}
    assert [each["outcome"] for each in found.values()] == ["IMPORTED", "FILED", "FILED", "REFUSED"]
    return [
        found[name][key]
        for (name, _), key in zip(ALL, ("importId", "documentId", "documentId", "inboxFileId"), strict=True)
    ]


def is_whole(person):
    return (
        len(lines_of(person)) == len(MARCH)
        and names_of_documents(person) == ["invoice.xml", "meal.pdf"]
        and list(waiting(person)) == ["x.html"]
    )


def as_json(data, name="files.zip"):
    return {"fileName": name, "content": b64encode(data).decode()}


def test_a_program_sends_any_files_to_the_inbox(ada):
    form = {"file": (BytesIO(packed(ALL)), "files.zip")}
    ids = of_all(ada.post("/api/inbox", data=form, content_type="multipart/form-data"))
    assert is_whole(ada)
    for place, one in zip(("feeds/imports", "documents", "documents"), ids[:3], strict=True):
        assert ada.get(f"/api/{place}/{one}").status_code == 200
    again = ada.post("/api/inbox", json=as_json(packed(ALL))).json["files"]
    assert [each["outcome"] for each in again] == ["ALREADY_THERE"] * 3 + ["REFUSED"]
    assert is_whole(ada)
    key = {"Idempotency-Key": "once"}
    first = ada.post("/api/inbox", json=as_json(pdf("Tea"), "tea.pdf"), headers=key)
    second = ada.post("/api/inbox", json=as_json(pdf("Tea"), "tea.pdf"), headers=key)
    assert (first.json["files"][0]["outcome"], second.json) == ("FILED", first.json)


def test_what_a_program_proposes_is_taken_on_approval_only(ada):
    tried = ada.post("/api/inbox?dryRun=true", json=as_json(packed(ALL)))
    assert tried.json["answer"]["files"][0]["outcome"] == "IMPORTED"
    asked = ada.with_scopes("read", "propose").post("/api/inbox", json=as_json(packed(ALL)))
    assert asked.status_code == 202, asked.json
    assert (lines_of(ada), names_of_documents(ada), waiting(ada)) == ([], [], {})
    approved = approve(ada, asked.json["actionRequest"])
    assert approved.status_code == 200, approved.json
    assert is_whole(ada)


def test_files_are_a_step_of_a_plan_all_or_nothing(ada):
    step = ("POST", "/inbox", as_json(packed(ALL)))
    failed = send_plan(ada, step, ("POST", "/accounts", {"name": "", "type": "EXPENSE"}))
    assert failed.status_code == 422
    assert (lines_of(ada), names_of_documents(ada), waiting(ada)) == ([], [], {})
    done = send_plan(ada, step)
    assert done.status_code < 300, done.json
    assert is_whole(ada)


def test_a_document_comes_in_an_archive_too_but_not_several(ada):
    bill = invoices.ubl()
    made = ada.post(DOCUMENTS, json=as_json(packed([("2026/bill.xml", bill)])))
    assert (made.status_code, made.json["document"]["fileName"]) == (201, "bill.xml")
    one = f"{DOCUMENTS}/{made.json['document']['id']}"
    assert ada.get(f"{one}/file").data == bill
    assert ada.post(f"{one}/files", json=as_json(packed([("bill.pdf", pdf("Bill"))]))).status_code == 201
    rows = packed([("sales.csv", b"No,Date,Customer,Total\nR-1,2026-03-05,Kunde AG,119.00\n")])
    table = ada.post(f"{DOCUMENTS}/tables", json={**as_json(rows), "documentType": "INVOICE"})
    assert (table.status_code, len(ada.get(DOCUMENTS).json["documents"])) == (201, 3)
    for path, more in (
        (DOCUMENTS, {}),
        (f"{one}/files", {}),
        (f"{DOCUMENTS}/tables", {"documentType": "BILL"}),
    ):
        refused = ada.post(path, json={**as_json(packed(ALL)), **more})
        assert (refused.status_code, refused.json["code"]) == (422, "file_kind"), path
        assert "Put it into the inbox" in refused.json["error"]
    assert len(ada.get(DOCUMENTS).json["documents"]) == 3


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_waits_whole_and_nothing_in_it_is_taken(ada, name):
    data, _ = HOSTILE[name]
    put(ada, ("in.zip", data), ("meal.pdf", pdf("Another meal")))
    assert list(waiting(ada)) == ["in.zip"]
    assert names_of_documents(ada) == ["meal.pdf"]
    kept = ada.get("/api/inbox").json["files"][0]
    assert kept["fileType"] != "application/pdf"
    assert ada.get(f"/api/inbox/{kept['id']}/file").data == data


def test_a_locked_archive_says_so(ada):
    put(ada, ("in.zip", HOSTILE["locked"][0]))
    assert "protected by a password" in waiting(ada)["in.zip"]


def test_an_archive_in_an_archive_waits(ada):
    put(ada, ("out.zip", packed([("in.zip", packed(ALL)), ("march.ofx", BANK)])))
    assert list(waiting(ada)) == ["in.zip"]
    assert "archive (zip) within an archive" in waiting(ada)["in.zip"]
    assert names_of_documents(ada) == []
    assert len(lines_of(ada)) == len(MARCH)


def test_the_page_of_imports_previews_each_file(ada):
    april = bank_file(Line("2026-04-02", "-8.00", "Tea", "F8"))
    data = packed([("march.ofx", BANK), ("april.ofx", april)])
    answer = ada.browser().post(
        "/imports", data={"file": (BytesIO(data), "year.zip")}, content_type="multipart/form-data"
    )
    assert answer.status_code == 303
    imports = ada.get(PATH).json["imports"]
    assert {(each["fileName"], each["status"]) for each in imports} == {
        ("march.ofx", "PREVIEWED"),
        ("april.ofx", "PREVIEWED"),
    }


def test_a_program_sends_one_file_in_an_archive(ada):
    answer = send(ada, packed([("2026/march.ofx", BANK)]))
    assert answer.status_code == 201, answer.json
    assert answer.json["import"]["fileName"] == "march.ofx"
    several = send(ada, packed([("march.ofx", BANK), ("april.ofx", BANK)]))
    assert (several.status_code, several.json["code"]) == (422, "file_refused")
    assert "unpack it and send the files in it" in several.json["error"]


def test_the_command_imports_each_file(app, ada, tmp_path):
    path = tmp_path / "year.zip"
    path.write_bytes(packed([("march.ofx", BANK), ("x.html", WEB_PAGE)]))
    with app.app_context():
        result = CliRunner().invoke(main, ["import", str(path), "--organization", ada.organization_id])
    assert result.exit_code == 1
    assert f"march.ofx: added {len(MARCH)}" in result.output
    assert "x.html: refused." in result.output


def test_a_drop_folder_takes_each_file_and_says_what_became_of_it(app, ada, tmp_path, monkeypatch):
    monkeypatch.setattr("webapp.services.inbox.drop_folders.STILL_SECONDS", 0.0)
    (tmp_path / "files.zip").write_bytes(packed(ALL))
    (tmp_path / "locked.zip").write_bytes(HOSTILE["locked"][0])
    with app.app_context():
        words = ["watch", str(tmp_path), "--organization", ada.organization_id, "--once"]
        result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    told = (tmp_path / "done" / "files.zip.txt").read_text().splitlines()
    assert [line.partition(": ")[0] for line in told] == [f"files.zip/{name}" for name, _ in ALL]
    assert "It waits in the inbox." in told[-1]
    assert "protected by a password" in (tmp_path / "refused" / "locked.zip.txt").read_text()
    assert names_of_documents(ada) == ["invoice.xml", "meal.pdf"]
