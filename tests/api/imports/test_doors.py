"""Every door takes the files that the readers read, with the same figures: of banks, and invoices in any encoding."""

import re
from io import BytesIO

import pytest
from click.testing import CliRunner

from tests.api.imports.test_archives import as_json
from tests.api.imports.test_imports import PATH
from tests.fixtures import invoices
from tests.fixtures.bank_files import camt_files
from tests.fixtures.helpers.documents import DOCUMENTS
from tests.fixtures.helpers.planning import send as send_plan
from tests.importers.hostile import SOUND
from tests.importers.test_archives import packed
from tests.mcp.clients import Model
from webapp import importers
from webapp.cli import main

DECLARATION = re.compile(r"^<\?xml[^>]*\?>\s*")
ENCODINGS = ("utf-8", "iso-8859-1", "windows-1252", "iso-8859-15", "utf-16")
INSTRUCTION = '<?xml-stylesheet type="text/xsl" href="a.xsl"?>'


def with_number(name, data):
    """Give each file that names an account one of its own: the sound files are of one."""
    number = f"{len(name)}{sum(name.encode())}".encode()
    for one in (b"NL91ABNA0417164300", camt_files.OWN.encode()):
        data = data.replace(one, number)
    return re.sub(rb"(?<=<ACCTID>)[^<\r\n]+", number, data)


def with_words(text, *words):
    """Give a table a header and texts of its own: one with those of another account would be of that account."""
    for was, is_now in zip(("Description", "Tea", "Pay"), words, strict=True):
        text = text.replace(was, is_now)
    return text


BANK_FILES = {name: with_number(name, data) for name, data in SOUND.items() if name != "xlsx"}
BANK_FILES |= {"csv": with_words(SOUND["csv"].decode(), "Memo", "Rolls", "Fees").encode()}
BANK_FILES |= {"tsv": with_words(SOUND["tsv"].decode("utf-16"), "Text", "Buns", "Wages").encode("utf-16")}
BANK_FILES |= {
    "xlsx": SOUND["xlsx"],
    "csv.zip": packed([("in.csv", with_words(SOUND["csv"].decode(), "Details", "Cake", "Rent").encode())]),
}


def written(number, encoding="utf-8", more=""):
    text = DECLARATION.sub("", invoices.ubl(number=number, seller="Café Müller").decode())
    return f'<?xml version="1.0" encoding="{encoding}"?>{more}{text}'.encode(encoding)


NUMBERS = (*ENCODINGS, "XSL")
INVOICES = {name: written(name, name) for name in ENCODINGS}
INVOICES |= {"xsl": written("XSL", more=INSTRUCTION), "cii": invoices.cii(number="CII")}


def lines_in(data):
    data = SOUND["csv"] if data.startswith(b"PK") and b"in.csv" in data else data
    return sorted(
        (line.booked_on.isoformat(), f"{line.amount:.2f}")
        for statement in importers.read(data).statements
        for line in statement.lines
    )


class Doors:
    """The doors by which Ada's files come, each for an account where its file names none."""

    def __init__(self, app, ada, folder):
        self.app, self.ada, self.folder = app, ada, folder

    def send(self, by, data, name, fa_id=None):
        self.name, self.data, self.fa_id = name, data, fa_id
        self.form = {} if fa_id is None else {"faId": str(fa_id)}
        answer = getattr(self, f"by_{by}")()
        assert getattr(answer, "status_code", 200) < 400, answer.text
        for file in self.ada.get("/api/inbox").json["files"]:
            self._take(self._page(f"/inbox/{file['id']}/import", self.form))

    def by_api(self):
        form = {"file": (BytesIO(self.data), self.name), **self.form}
        return self.ada.post(PATH, data=form, content_type="multipart/form-data")

    def by_plan(self):
        body = as_json(self.data, self.name) | ({} if self.fa_id is None else {"faId": self.fa_id})
        return send_plan(self.ada, ("POST", "/feeds/imports", body))

    def by_page(self):
        return self._take(self._page("/imports", {"file": (BytesIO(self.data), self.name), **self.form}))

    def by_inbox(self):
        return self._page("/inbox", {"file": (BytesIO(self.data), self.name)})

    def by_inbox_of_the_api(self):
        return self.ada.post("/api/inbox", json=as_json(self.data, self.name))

    def by_command(self):
        account = [] if self.fa_id is None else ["--account", str(self.fa_id)]
        self._run("import", str(self._file()), *account)

    def by_drop_folder(self):
        self._file()
        self._run("watch", str(self.folder), "--once")

    def by_model(self):
        account = {} if self.fa_id is None else {"account": self.fa_id}
        Model(self.ada).call("import_statement", **as_json(self.data, self.name), commit=True, **account)

    def by_documents(self):
        return self.ada.post(DOCUMENTS, json=as_json(self.data, self.name))

    def by_page_of_documents(self):
        return self._page("/documents", {"file": (BytesIO(self.data), self.name)})

    def by_attachment_of_a_model(self):
        Model(self.ada).call("attach_document", **as_json(self.data, self.name), propose=True)

    def _page(self, path, form):
        return self.ada.browser().post(path, data=form, content_type="multipart/form-data")

    def _take(self, previewed):
        assert previewed.status_code == 303, previewed.text
        return self.ada.browser().post(f"{previewed.headers['Location']}/commit")

    def _file(self):
        path = self.folder / self.name
        path.write_bytes(self.data)
        return path

    def _run(self, *words):
        with self.app.app_context():
            result = CliRunner().invoke(main, [*words, "--organization", self.ada.organization_id])
        assert result.exit_code == 0, result.output


@pytest.fixture
def doors(app, ada, tmp_path, monkeypatch):
    monkeypatch.setattr("webapp.services.inbox.drop_folders.STILL_SECONDS", 0.0)
    return Doors(app, ada, tmp_path)


@pytest.mark.parametrize(
    "by", ["api", "plan", "page", "inbox", "inbox_of_the_api", "command", "drop_folder", "model"]
)
def test_every_door_takes_the_files_of_banks(ada, bank, doors, by):
    for name, data in BANK_FILES.items():
        has_number = not name.startswith(("qif", "csv", "tsv", "xlsx"))
        fa_id = None if has_number else bank.open(name)
        there = {each["id"] for each in ada.get("/api/transactions?limit=200").json["transactions"]}
        doors.send(by, data, name if "." in name else f"a.{name}", fa_id)
        listed = ada.get("/api/transactions?limit=200").json["transactions"]
        new = [each for each in listed if each["id"] not in there]
        assert sorted((each["bookedOn"], each["amount"]) for each in new) == lines_in(data), name
        assert has_number or {each["faId"] for each in new} == {fa_id}


@pytest.mark.parametrize(
    "by",
    [
        *("documents", "page_of_documents", "inbox", "inbox_of_the_api", "drop_folder"),
        "attachment_of_a_model",
    ],
)
def test_every_door_takes_invoices_in_any_encoding(ada, doors, by):
    for name, data in INVOICES.items():
        doors.send(by, data, f"{name}.xml")
    listed = ada.get(f"{DOCUMENTS}?limit=200").json["documents"]
    assert sorted(each["total"] for each in listed) == ["119.00"] + ["172.50"] * (len(INVOICES) - 1)
    assert {each["number"] for each in listed} == {"CII", *NUMBERS}
    assert [each["sender"] for each in listed].count("Café Müller") == len(NUMBERS)
