"""Ninety-four plausible mistakes, each answer rated as the audit of the interface did: all say exactly what to send.

3 says the exact next step, 2 is enough for a capable model, 1 says only what is wrong, 0 is silent, misleading or a
dead end. A row has the words of the next step that its answer must hold.
"""

import copy
import io
import json
from dataclasses import dataclass, field

import pytest

from tests.fixtures.helpers.marks import on_sqlite

pytestmark = on_sqlite
CSV = b"Date;Amount;Currency;Text\n2026-03-13;-5.00;EUR;Tea\n2026-03-14;-6.00;EUR;Cake\n"
RULE = {"name": "Tea", "effects": [{"kind": "SET_CURRENCY", "currency": "USD", "sortOrder": 0}]}
ENTRY = {"effectiveAt": "2026-03-02", "description": "By hand"}


def upload(content, name="march.csv", **form):
    return {"data": {"file": (io.BytesIO(content), name), **form}, "content_type": "multipart/form-data"}


def legs(*amounts, **more):
    return {
        "json": {
            **ENTRY,
            "postings": [{"accountId": "@food", "amount": each, **more} for each in amounts],
        }
    }


def rule(**body):
    return {"json": {**RULE, **body}}


def condition(**one):
    return rule(conditions={"conditions": [one]})


def headers(**named):
    return {"headers": {name.replace("_", "-"): value for name, value in named.items()}}


@dataclass(frozen=True)
class Mistake:
    """What is sent, and what the sentence of the answer must hold: the wrong thing, and the next step.

    `who` asks: ben, or one of his keys; nobody without a header. `answers` is the status, and an answer that is no
    refusal holds the words anywhere. `before` was asked first.
    """

    number: int
    name: str
    method: str
    path: str
    options: dict = field(default_factory=dict)
    answers: int = 422
    holds: tuple = ()
    who: str = "ben"
    before: tuple = ()


KEYS = {
    "drafting": (("read", "draft"), {}),
    "capped": (("read", "confirm"), {"max_entries_a_day": 1}),
    "slow": (("read",), {"max_requests_a_minute": 1}),
}


def row(number, name, request, answers, *holds, who="ben", before=(), **options):
    method, _, path = request.partition(" ")
    return Mistake(number, name, method, path, options, answers, holds, who, before)


LINE, POSTED = "PATCH /transactions/@line", "PATCH /transactions/@posted"
DRAFT, ENTRIES, RULES = (
    "PUT /reconciliations/accounts/@fa/draft",
    "POST /journal-entries",
    "POST /automations/rules",
)
STATEMENT = {"statementDate": "2026-03-31", "statementBalance": "1.00"}
MISTAKES = [
    row(1, "no token", "GET /accounts", 401, "send an API token as a bearer token", who="nobody"),
    row(
        2,
        "half a token",
        "GET /accounts",
        401,
        "not a complete API token; copy it again",
        who="nobody",
        **headers(Authorization="Bearer tie_abcdef"),
    ),
    row(
        3,
        "Basic",
        "GET /accounts",
        401,
        "Authorization: Bearer",
        "other schemes",
        who="nobody",
        **headers(Authorization="Basic YTpi"),
    ),
    row(
        4,
        "X-API-Key",
        "GET /accounts",
        401,
        "Authorization: Bearer",
        "no other header",
        who="nobody",
        **headers(X_API_Key="tie_abcdef"),
    ),
    row(
        5,
        "token in the query",
        "GET /accounts?token=tie_abc",
        401,
        "in a URL",
        "Authorization: Bearer",
        who="nobody",
    ),
    row(
        6,
        "singular path",
        "GET /transaction/1",
        404,
        "no such address",
        "GET /api/docs.md lists every address",
    ),
    row(
        7,
        "version prefix",
        "GET /v1/transactions",
        404,
        "no such address",
        "GET /api/docs.md lists every address",
    ),
    row(8, "trailing slash", "GET /transactions/", 200, '{"transactions": [{'),
    row(9, "POST on a list that takes none", "POST /transactions", 405, "GET and PATCH, not POST", json={}),
    row(10, "PUT for PATCH", "PUT /transactions/@line", 405, "DELETE, GET and PATCH, not PUT", json={}),
    row(11, "list of proofs", "GET /reconciliations", 200, '{"reconciliations": [{', '"holds": false'),
    row(12, "who am I", "GET /whoami", 404, "GET /api/docs.md lists every address"),
    row(12, "who am I", "GET /organization", 404, "GET /api/docs.md lists every address"),
    row(13, "US date", "GET /transactions?from=10/01/2026", 422, "from: Write a day as YYYY-MM-DD"),
    row(
        14,
        "date with time",
        "GET /transactions?from=2026-10-01T00:00:00Z",
        422,
        "from: Write a day as YYYY-MM-DD",
    ),
    row(
        15,
        "30 February",
        "GET /transactions?from=2026-02-30",
        422,
        "from: There is no such day",
        "2026-02-28",
    ),
    row(
        16,
        "from after to",
        "GET /transactions?from=2026-10-02&to=2026-10-01",
        422,
        "to: ",
        "Send the earlier day as from",
    ),
    row(17, "page=2", "GET /transactions?page=2", 422, "page: ", "nextCursor, sent as cursor"),
    row(18, "limit=500", "GET /transactions?limit=500", 422, "limit: Send a whole number from 1 to 200"),
    row(19, "limit=abc", "GET /transactions?limit=abc", 422, "limit: Send a whole number from 1 to 200"),
    row(20, "made-up cursor", "GET /transactions?cursor=abc", 422, "cursor", "start again without one"),
    row(
        21,
        "cursor of another list",
        "GET /transactions?cursor=@cursor",
        422,
        "cursor",
        "start again without one",
    ),
    row(22, "enum in lower case", "GET /transactions?status=booked", 422, "status: Send one of", "BOOKED"),
    row(
        23,
        "two enum values",
        "GET /transactions?status=BOOKED,PENDING",
        422,
        "status: Send only one of BOOKED, PENDING",
    ),
    row(
        24,
        "filter by amount",
        "GET /transactions?amount=-42.31",
        422,
        "amount: ",
        "q finds texts and amounts",
    ),
    row(25, "sort", "GET /transactions?sort=-amount", 422, "sort: ", "Lists have one order each"),
    row(
        26,
        "updatedSince as a day",
        "GET /transactions?updatedSince=2026-03-01",
        422,
        "updatedSince: ",
        "2026-03-01T09:30:00Z",
    ),
    row(
        27,
        "filter by an id that is not there",
        "GET /transactions?accountId=9999",
        422,
        "accountId: ",
        "GET /api/accounts lists",
    ),
    row(
        27,
        "filter by an id that is not there",
        "GET /transactions?faId=99",
        422,
        "faId: ",
        "GET /api/feeds/accounts lists",
    ),
    row(
        28,
        "account by its name",
        LINE,
        422,
        "accountId: Send an id",
        "without quotes; GET /api/accounts lists",
        json={"accountId": "Sales"},
    ),
    row(29, "id as text", LINE, 422, "accountId: Send an id", "without quotes", json={"accountId": "16"}),
    row(30, "wrong key", LINE, 422, "account: ", "Do you mean accountId?", json={"account": 16}),
    row(
        31,
        "account that is not there",
        LINE,
        422,
        "accountId: There is nothing under this id",
        "GET /api/accounts lists",
        json={"accountId": 9999},
    ),
    row(
        32,
        "bank account as category",
        LINE,
        422,
        "is a bank account",
        "Transfers between own accounts",
        json={"accountId": "@bank"},
    ),
    row(33, "empty PATCH", LINE, 422, "Send what to change: accountId", json={}),
    row(
        37,
        "confirm of a pending line",
        "POST /transactions/@pending/confirm",
        409,
        "may still change this line",
        "when it is booked",
    ),
    row(38, "id 0", "GET /transactions/0", 404, "no record under this id", "GET /api/transactions lists"),
    row(38, "id abc", "GET /transactions/abc", 404, "no record under this id", "GET /api/transactions lists"),
    row(
        38,
        "unknown id",
        "GET /transactions/987654",
        404,
        "no record under this id",
        "GET /api/transactions lists",
    ),
    row(
        39,
        "note of 2001 characters",
        "POST /transactions/confirm",
        422,
        "note: Write at most 2000 characters",
        json={"ids": ["@line"], "note": "x" * 2001},
    ),
    row(
        40,
        "note as number",
        "POST /transactions/confirm",
        422,
        "note: Send text",
        "in quotes",
        json={"ids": ["@line"], "note": 1},
    ),
    row(
        41,
        "amount as number",
        ENTRIES,
        422,
        "postings.0.amount: ",
        'decimal string, like "-12.50"',
        **legs(119.0, -119.0),
    ),
    row(
        42,
        "decimal comma",
        ENTRIES,
        422,
        "postings.0.amount: ",
        "a point before the cents",
        **legs("119,00", "-119,00"),
    ),
    row(
        43,
        "typographic minus",
        ENTRIES,
        422,
        "postings.1.amount: Write the minus as the - of the keyboard",
        **legs("119.00", "\N{MINUS SIGN}119.00"),
    ),
    row(44, "currency sign", ENTRIES, 422, "postings.0.amount: ", "digits", **legs("€119.00", "-119.00")),
    row(
        45,
        "three decimals",
        ENTRIES,
        422,
        "EUR has 2 digits after the decimal point; 119.005 has more",
        "Round it",
        **legs("119.005", "-119.005"),
    ),
    row(
        46,
        "unbalanced",
        ENTRIES,
        422,
        "Debits exceed credits by 1.00 EUR",
        "change a posting, or add one",
        **legs("120.00", "-119.00"),
    ),
    row(
        47,
        "debit and credit keys",
        ENTRIES,
        422,
        "postings.0.debit: ",
        "Send one signed amount",
        json={**ENTRY, "postings": [{"accountId": 1, "debit": "5.00"}] * 2},
    ),
    row(48, "one posting", ENTRIES, 422, "postings: Send 2 to 200 postings", **legs("5.00")),
    row(
        49,
        "day as 02.11.2026",
        ENTRIES,
        422,
        "effectiveAt: Write a day as YYYY-MM-DD",
        json={**ENTRY, "effectiveAt": "02.11.2026", "postings": []},
    ),
    row(
        51,
        "void without reason",
        "POST /journal-entries/@entry/void",
        422,
        "reason: This is missing: send text",
        json={},
    ),
    row(
        52,
        "delete of a posted entry",
        "DELETE /journal-entries/@entry",
        409,
        "belongs to bank line",
        "change it there",
    ),
    row(
        53,
        "version of no draft",
        DRAFT,
        409,
        "no longer exists",
        "Send no version to open a new one",
        json={**STATEMENT, "version": 9},
    ),
    row(
        54,
        "statement balance as number",
        DRAFT,
        422,
        "statementBalance: ",
        "decimal string",
        json={**STATEMENT, "statementBalance": 1},
    ),
    row(
        56,
        "complete without a draft",
        "POST /reconciliations/accounts/@card/complete",
        409,
        "no open reconciliation draft",
        "start one with the date and balance",
        json={},
    ),
    row(
        57,
        "ledger account id as faId",
        "PUT /reconciliations/accounts/@bank/draft",
        404,
        "faId",
        "send its faId",
        json=STATEMENT,
    ),
    row(
        62,
        "scope missing",
        "POST /transactions/confirm",
        403,
        "needs the scope confirm; yours are draft, read",
        "Ask its owner for a key",
        who="drafting",
        json={"ids": [1]},
    ),
    row(
        63,
        "approve with a key",
        "POST /action-requests/approve",
        403,
        "a token cannot",
        "A person does this in the browser",
        json={"proposals": []},
    ),
    row(
        65,
        "idempotency key with a space",
        "POST /merchants",
        422,
        "visible ASCII characters without spaces",
        json={"name": "A"},
        **headers(Idempotency_Key="a b"),
    ),
    row(
        67,
        "broken JSON",
        LINE,
        400,
        "line 1, column 18",
        data='{"accountId": 16,}',
        content_type="application/json",
    ),
    row(
        68,
        "form body",
        LINE,
        415,
        "application/json",
        data="accountId=16",
        content_type="application/x-www-form-urlencoded",
    ),
    row(69, "array as body", LINE, 422, "Send a JSON object, {", "; this is a list", json=[1]),
    row(
        70,
        "ids as text",
        "POST /transactions/confirm",
        422,
        "ids.0: Send an id",
        "without quotes",
        json={"ids": ["1"]},
    ),
    row(71, "no ids", "POST /transactions/confirm", 422, "ids: Send 1 to 500 ids", json={"ids": []}),
    row(
        74,
        "rule: fieldName in a condition",
        RULES,
        201,
        '"isActive": false',
        "conditions.conditions.0.fieldName",
        "It is stored inactive; check it, then activate it",
        **condition(fieldName="TEXT", op="IS", value="x"),
    ),
    row(
        75,
        "rule: operator in lower case",
        RULES,
        422,
        "operator: Send one of EQUALS",
        **condition(operator="contains", value="x"),
    ),
    row(
        76,
        "rule: wrong key of an effect",
        RULES,
        422,
        "SET_MERCHANT needs orgMerchantId",
        **rule(effects=[{"kind": "SET_MERCHANT", "merchantId": 1, "sortOrder": 0}]),
    ),
    row(
        77,
        'rule: BETWEEN "10,80"',
        RULES,
        422,
        "two ends, like 10.00..250.00",
        **condition(field="AMOUNT", operator="BETWEEN", value="10,80"),
    ),
    row(
        78, "rule: bad pattern", RULES, 422, "check its brackets", **condition(operator="MATCHES", value="((")
    ),
    row(
        79,
        "rule: conditions as array",
        "POST /automations/rules/preview",
        422,
        'conditions: Send a JSON object, {"match": …, "conditions": …}; this is a list',
        **rule(conditions=[]),
    ),
    row(
        80,
        "CSV, day order open",
        "POST /feeds/imports",
        422,
        "dateFormat",
        "%d/%m/%Y",
        **upload(b"Date;Amount;Currency\n01/02/2026;-5.00;EUR\n02/03/2026;-6.00;EUR\n"),
    ),
    row(
        82,
        "CSV, no known columns",
        "POST /feeds/imports",
        422,
        "mapping",
        "date",
        "amount",
        **upload(b"Aaa;Bbb\nx;y\n2026-01-01;z\n"),
    ),
    row(
        83,
        "CSV, guessed mapping key",
        "POST /feeds/imports",
        422,
        "no key",
        "columns",
        "date",
        **upload(CSV, mapping='{"columns": {}}'),
    ),
    row(
        85,
        "PDF as statement",
        "POST /feeds/imports",
        422,
        "export",
        **upload(b"%PDF-1.4\n%%EOF\n", "bank.pdf"),
    ),
    row(
        86,
        "JSON to imports",
        "POST /feeds/imports",
        422,
        "content: This is missing: send the bytes of the file as base64.",
        json={"fileName": "october.ofx"},
    ),
    row(
        87,
        "push without ids",
        "POST /feeds/accounts/@fa/transactions",
        422,
        "batchId: This is missing: send text",
        json={},
    ),
    row(90, "dryRun in the body", LINE, 422, "dryRun: ", "?dryRun=true", json={"dryRun": True}),
    row(91, "dryRun=1", LINE + "?dryRun=1", 422, "dryRun: Send true or false, once", json={"accountId": 1}),
    row(
        92,
        "fields on a write",
        LINE + "?fields=id",
        422,
        "no query parameters but dryRun, note, replaces, view; leave out: fields",
        json={"accountId": 1},
    ),
    row(
        93,
        "snake_case",
        "POST /projects",
        422,
        "group_id: ",
        "Do you mean groupId?",
        json={"name": "A", "group_id": 1},
    ),
    row(
        94,
        "undo by key",
        "POST /action-requests/undo/preview",
        403,
        "a token cannot",
        "A person does this in the browser",
        json={},
    ),
    row(
        58,
        "statement before the last proof",
        "PUT /reconciliations/accounts/@card/draft",
        422,
        "28 Feb 2026",
        "later",
        json={"statementDate": "2026-01-31", "statementBalance": "0.00"},
    ),
    row(
        60,
        "accept a proof that holds",
        "POST /reconciliations/accounts/@card/accept",
        409,
        "holds",
        "nothing to accept",
        json={"reconciliationId": "@proof"},
    ),
    row(
        61,
        "accept over an unconfirmed line",
        "POST /reconciliations/accounts/@savings/accept",
        409,
        "1 cleared line is not confirmed",
        "POST /api/transactions/confirm takes their ids",
        json={"reconciliationId": "@broken"},
    ),
    row(
        64,
        "idempotency key reused",
        "POST /merchants",
        422,
        "every new request",
        before=[("POST /merchants", {"name": "B"})],
        json={"name": "A"},
        **headers(Idempotency_Key="one-key"),
    ),
    row(
        66,
        "If-Match",
        LINE,
        412,
        "Read it again, and send the ETag",
        json={"accountId": "@food"},
        **headers(If_Match='"x"'),
    ),
    row(
        73,
        "rule: condition for conditions",
        RULES,
        201,
        '"isActive": false',
        '"ignored": ["condition"]',
        "so it is stored inactive; send its conditions as `conditions`",
        **rule(condition={"conditions": [{"value": "x"}]}),
    ),
    row(
        81,
        "CSV, sign open",
        "POST /feeds/imports",
        422,
        "invert",
        **upload(b"Date;Amount;Currency;Text\n2026-03-13;5.00;EUR;Tea\n2026-03-14;6.00;EUR;Cake\n"),
    ),
    row(
        88,
        "too many requests",
        "GET /accounts",
        429,
        "1 requests a minute",
        "Try again in",
        who="slow",
        before=[("GET /accounts", None)],
    ),
    row(
        34,
        "a reason on PATCH /transactions",
        "PATCH /transactions",
        200,
        "EXECUTED",
        json={"changes": [{"id": "@line", "description": "x"}], "note": "why"},
    ),
    # What changes the books comes last, so that all rows share them.
    row(
        35,
        "PATCH of a posted line",
        POSTED,
        200,
        "pendingChange",
        "Posted: a correction is prepared",
        "Confirm the line to write it",
        json={"accountId": "@food"},
    ),
    row(
        55,
        "card statement with the wrong sign",
        "PUT /reconciliations/accounts/@card/draft",
        200,
        "What you owe is negative",
        "send -684.55 as statementBalance",
        json={**STATEMENT, "statementBalance": "684.55"},
    ),
    row(
        84,
        "CSV without faId",
        "POST /feeds/imports",
        201,
        "its lines open a new one",
        "choose it for this file: Card (faId",
        **upload(CSV),
    ),
    row(
        36,
        "confirm of a posted line, after that",
        "POST /transactions/confirm",
        200,
        "Confirmed the correction of Posted",
        "from Uncategorised expenses to Food",
        before=[(POSTED, {"accountId": "@food"})],
        json={"ids": ["@posted"]},
    ),
    row(
        50,
        "manual entry on a bank account",
        ENTRIES,
        201,
        "is a bank's account",
        "Transfers between own accounts",
        json={
            **ENTRY,
            "postings": [{"accountId": "@bank", "amount": "5.00"}, {"accountId": "@food", "amount": "-5.00"}],
        },
    ),
    row(
        59,
        "complete with a difference",
        "POST /reconciliations/accounts/@fa/complete",
        409,
        "the difference is",
        "lists the lines with what is cleared",
        before=[(DRAFT, STATEMENT)],
        json={},
    ),
    row(
        72,
        "bulk with three kinds of wrong ids",
        "POST /transactions/confirm",
        200,
        "not_found",
        "pending",
        "There is nothing here.",
        json={"ids": [987654, "@pending", "@posted"]},
    ),
    row(
        89,
        "daily cap",
        "POST /transactions/confirm",
        403,
        "posts at most 1 entry a day",
        "Propose it",
        "raise the cap",
        who="capped",
        json={"ids": ["@line", "@other"]},
    ),
]


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


def open_(person, request, options, books):
    """Ask as a program does; nobody has no token."""
    method, _, path = request.partition(" ")
    for name, value in sorted(books.items(), reverse=True):
        path = path.replace(f"@{name}", str(value))
    # A file is read once.
    options = copy.deepcopy(options)
    sent = {**options, "json": filled(options["json"], books)} if "json" in options else options
    return person(f"/api{path}", method=method, **sent)


def asking(mistake, ben, app):
    if mistake.who == "nobody":
        return app.test_client(use_cookies=False).open
    scopes, caps = KEYS.get(mistake.who, ((), {}))
    person = ben.with_scopes(*scopes, **caps) if scopes else ben
    return lambda path, *, method, **options: person.ask(method, path, **options)


def rated(mistake, ben, app, books):
    """Rate the answer to a mistake; gives that, and what is not as its row has it."""
    person = asking(mistake, ben, app)
    for request, body in mistake.before:
        options = {key: value for key, value in mistake.options.items() if key == "headers"}
        before = open_(person, request, options if body is None else {**options, "json": body}, books)
        assert before.status_code < 300, before.json
    answer = open_(person, f"{mistake.method} {mistake.path}", mistake.options, books)
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
        answer = open_(
            lambda path, *, method, **options: agent.ask(method, path, **options),
            f"{mistake.method} {mistake.path}",
            mistake.options,
            books,
        )
        if answer.status_code != mistake.answers:
            told.append((mistake.number, mistake.name, answer.status_code, answer.json))
    assert told == []
    assert ben.get("/api/action-requests?status=PENDING").json["actionRequests"] == []
