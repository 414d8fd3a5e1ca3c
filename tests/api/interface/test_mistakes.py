"""Ninety-four plausible mistakes, each answer rated as the audit of the interface did: all say exactly what to send.

3 says the exact next step, 2 is enough for a capable model, 1 says only what is wrong, 0 is silent, misleading or a
dead end. mistakes.txt has what is sent, and the words of the next step that the answer must hold.
"""

import io
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.fixtures.helpers.marks import on_sqlite

pytestmark = on_sqlite
KEYS = {
    "drafting": (("read", "draft"), {}),
    "capped": (("read", "confirm"), {"max_entries_a_day": 1}),
    "slow": (("read",), {"max_requests_a_minute": 1}),
}


@dataclass
class Mistake:
    """What is sent, and what the sentence of the answer must hold: the wrong thing, and the next step.

    `who` asks: ben, or one of his keys; nobody without a header. `answers` is the status, and an answer that is no
    refusal holds the words anywhere. `before` was asked first.
    """

    number: int
    name: str
    answers: int
    holds: list
    who: str = "ben"
    before: list = field(default_factory=list)
    request: tuple = ()
    headers: dict = field(default_factory=dict)
    body: dict = field(default_factory=dict)
    file: tuple = ()

    def read(self, word, rest):
        """Take in a line of mistakes.txt."""
        name, _, value = rest.partition(" ")
        match word:
            case "by":
                self.who = rest
            case "after":
                self.before.append(call(rest))
            case "with":
                self.headers[name.removesuffix(":")] = value
            case "as":
                self.body = {"content_type": name, "data": value}
            case "file":
                self.file = name, json.loads(value).encode()
            case "form":
                self.body = dict([rest.split("=", 1)])
            case _:
                self.request = call(f"{word} {rest}")

    def sent(self):
        """Give the call; a file can be read only once."""
        method, path, options = self.request
        if self.file:
            name, content = self.file
            form = {"file": (io.BytesIO(content), name), **self.body}
            return method, path, {"data": form, "content_type": "multipart/form-data"}
        return method, path, {**options, **self.body, "headers": self.headers}


def call(line):
    method, path, *body = line.split(" ", 2)
    return method, path, {"json": json.loads(*body)} if body else {}


def read_mistake(text):
    title, *lines, answer = text.split("\n")
    number, name = title.split(" ", 1)
    status, words = answer.split(" ", 1)
    mistake = Mistake(int(number), name, int(status), words.split(" | "))
    for line in lines:
        mistake.read(*line.split(" ", 1))
    return mistake


TEXT = Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8")
MISTAKES = [read_mistake(each) for each in TEXT.strip().split("\n\n")]


@pytest.fixture
def books(ada, ben, bank):
    """A line and a posted one, a pending one, a card, and the ids that the rows write with an @."""
    fa_id = bank.open("Giro")
    at = bank.at(fa_id)
    line, posted, pending, other = (
        at.send("2026-03-02", "-42.31", text) for text in ("Tea", "Posted", "Pending", "Other")
    )
    bank.set_state(pending, "PENDING")
    assert ben.post(f"/api/transactions/{posted}/confirm").status_code == 200
    card = bank.open("Card", type_="LIABILITY")
    statement = {"statementDate": "2026-02-28", "statementBalance": "0.00"}
    ben.put(f"/api/reconciliations/accounts/{card}/draft", json=statement)
    proof = ben.post(f"/api/reconciliations/accounts/{card}/complete", json={}).json["reconciliation"]["id"]
    savings = bank.open("Savings")
    cursor = ben.get("/api/accounts?limit=1").json["nextCursor"]
    return {
        "savings": savings,
        "broken": broken_proof(ben, savings, bank.send("2026-02-02", "5.00", "Interest")),
        "line": line,
        "other": other,
        "posted": posted,
        "pending": pending,
        "fa": fa_id,
        "card": card,
        "proof": proof,
        "bank": bank.ledger_account(fa_id),
        "food": bank.account("Food"),
        "entry": ben.get(f"/api/transactions/{posted}").json["transaction"]["journalEntryId"],
        "cursor": cursor,
        "long": "x" * 2001,
    }


def broken_proof(ben, fa_id, line):
    """Prove a line, and void its entry: it is to be confirmed again."""
    desk = f"/api/reconciliations/accounts/{fa_id}"
    steps = [
        ("post", f"/api/transactions/{line}/confirm", {}),
        ("put", f"{desk}/draft", {"statementDate": "2026-02-28", "statementBalance": "5.00"}),
        ("put", f"{desk}/draft/lines", {"auto": True}),
        ("post", f"{desk}/complete", {}),
    ]
    answers = [getattr(ben, method)(path, json=body) for method, path, body in steps]
    assert [each.status_code for each in answers] == [200] * len(steps), answers[-1].json
    entry = ben.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    assert ben.post(f"/api/journal-entries/{entry}/void", json={"reason": "A slip"}).status_code == 200
    return answers[-1].json["reconciliation"]["id"]


def filled(value, books):
    """Write ids where a row names them."""
    if isinstance(value, dict):
        return {key: filled(each, books) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, books) for each in value]
    if isinstance(value, str) and value.startswith("@"):
        return books[value[1:]]
    return value


def ask(open_, call, books):
    """Ask as a program does, with ids where a row names them."""
    method, path, options = call
    for name, value in sorted(books.items(), reverse=True):
        path = path.replace(f"@{name}", str(value))
    if "json" in options:
        options = {**options, "json": filled(options["json"], books)}
    return open_(f"/api{path}", method=method, **options)


def opening(person):
    return lambda path, *, method, **options: person.ask(method, path, **options)


def asking(mistake, ben, app):
    if mistake.who == "nobody":
        return app.test_client(use_cookies=False).open
    scopes, caps = KEYS.get(mistake.who, ((), {}))
    return opening(ben.with_scopes(*scopes, **caps) if scopes else ben)


def rated(mistake, ben, app, books):
    """Rate the answer to a mistake; gives that, and what is not as its row has it."""
    open_ = asking(mistake, ben, app)
    for method, path, options in mistake.before:
        before = ask(open_, (method, path, {**options, "headers": mistake.headers}), books)
        assert before.status_code < 300, before.json
    answer = ask(open_, mistake.sent(), books)
    text = answer.json.get("error") or json.dumps(answer.json, ensure_ascii=False)
    missing = [words for words in mistake.holds if words not in text]
    rating = 0 if answer.status_code != mistake.answers else 3 - min(len(missing), 2)
    return rating, f"{mistake.number} {mistake.name}: {answer.status_code}, without {missing}: {text}"


def test_each_answer_says_what_is_wrong_and_what_to_send(ben, app, books, figure):
    """A number with several rows counts as the worst of them."""
    assert all(mistake.holds for mistake in MISTAKES)
    found = [(mistake.number, *rated(mistake, ben, app, books)) for mistake in MISTAKES]
    assert [told for _, rating, told in found if rating < 3] == []
    worst = {number: min(rating for each, rating, _ in found if each == number) for number, _, _ in found}
    assert sorted(worst) == list(range(1, 95))
    counts = ", ".join(f"{list(worst.values()).count(rating)} of {rating}" for rating in (3, 2, 1, 0))
    figure("Mistakes", f"{len(worst)} mistakes in {len(found)} rows: {counts}")


def test_a_mistake_of_a_key_that_proposes_is_refused_and_waits_for_nobody(ben, books):
    agent, told = ben.with_scopes("read", "propose"), []
    alone = [each for each in MISTAKES if each.who == "ben" and not each.before and each.answers >= 400]
    assert len(alone) > 50
    for mistake in alone:
        answer = ask(opening(agent), mistake.sent(), books)
        if answer.status_code != mistake.answers:
            told.append((mistake.number, mistake.name, answer.status_code, answer.json))
    assert told == []
    assert ben.get("/api/action-requests?status=PENDING").json["actionRequests"] == []


def content_of(said, shared):
    said = shared[said["$ref"].rpartition("/")[2]] if "$ref" in said else said
    return said["content"]["application/json"]


def test_each_refusal_is_of_the_one_schema_of_its_status_and_has_a_code_that_its_call_names(
    ada, ben, app, books
):
    document = ada.get("/api/openapi.json").json
    shared, shapes = document["components"]["responses"], document["components"]["schemas"]
    named, seen = set(), set()
    for operations in document["paths"].values():
        for method in operations.keys() - {"parameters"}:
            for status, said in operations[method]["responses"].items():
                if status.isdigit() and status >= "400":
                    named.add((status, content_of(said, shared)["schema"]["$ref"]))
    assert named == {(status, f"#/components/schemas/Error{status}") for status, _ in named}
    for mistake in (each for each in MISTAKES if each.answers >= 400 and not each.before):
        answer = ask(asking(mistake, ben, app), mistake.sent(), books)
        path = answer.request.path
        templates = [
            each for each in document["paths"] if re.fullmatch(re.sub(r"{\w+}", "[^/]+", each), path)
        ]
        template = min(templates, key=lambda each: each.count("{"), default=None)
        operation = document["paths"].get(template, {}).get(mistake.sent()[0].lower())
        status = str(answer.status_code)
        if operation is None or status == "405":
            assert status in {"404", "405"}, mistake
            continue
        content = content_of(operation["responses"][status], shared)
        Draft202012Validator({**content["schema"], "components": {"schemas": shapes}}).validate(answer.json)
        assert answer.json["code"] in content["examples"], (mistake.name, answer.json)
        seen.add(status)
    assert seen >= {"400", "401", "403", "404", "409", "412", "415", "422"}
