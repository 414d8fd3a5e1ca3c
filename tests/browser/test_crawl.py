"""Every page that links lead to, with hostile words in every free text: nothing of them runs (P52).

The browser fixture fails the test on any dialog, script error, console error or violation of the policy.
"""

import re
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qs, quote, urldefrag, urlsplit

import pytest

from tests.fixtures.banks import AT
from tests.fixtures.browsers import another_page
from tests.fixtures.desks import Desk
from tests.fixtures.turns import whose_turn
from webapp.database.sessions import db
from webapp.models import (
    Account,
    Document,
    FeedAccount,
    Import,
    ImportLine,
    Institution,
    Membership,
    Merchant,
    Organization,
    Project,
    ProjectGroup,
    User,
)
from webapp.services.access import organizations

# More than two hundred words that would run, load or restyle something if a page took them for its own.
LINES = Path(__file__).with_name("payloads.txt").read_text(encoding="utf-8")
# What a line of text cannot hold, or would not show.
UNSEEN = (
    "<script\n>alert(1)</script\n>",
    "\u202e<script>alert(1)</script>\u202c",
    "\u0007<base href=//evil.example>\u001b]0;x\u0007",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "\u00a0javascript:alert(1)",
    "\u0001javascript:alert(1)",
    "<img\u000csrc=x\u000conerror=alert(1)>",
    "<img\u000bsrc=x onerror=alert(1)>",
    "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
    "<\u017fcript>alert(1)</\u017fcript>",
    "\ufeff<script>alert(1)</script>",
    "a\u2028alert(1)\u2029<script>alert(1)</script>",
    "\u0085<svg onload=alert(1)>",
)
PAYLOADS = (*LINES.strip().split("\n"), *UNSEEN)
LEAVES = ("/sign-out", "/settings/sign-in/sessions/end-all")
EMOJI, MASK, NAME = 64, 32, 255
# Forms that repeat what was typed where it was refused, and the fields that hold it.
REFUSALS = {
    "/merchants": {"name": "TEXT", "website": "TEXT"},
    "/accounts": {"name": "TEXT", "code": "TEXT", "emoji": "TEXT", "type": "EXPENSE"},
    "/projects": {"name": "TEXT", "emoji": "TEXT", "groupId": "x"},
    "/documents": {"sender": "TEXT", "number": "TEXT", "documentType": "TEXT"},
    "/rules/new": {
        "name": "TEXT",
        "priority": "TEXT",
        "conditions.conditions.0.field": "AMOUNT",
        "conditions.conditions.0.value": "TEXT",
        "effects.0.kind": "SET_CURRENCY",
        "effects.0.currency": "TEXT",
    },
    "/settings/members": {"name": "TEXT", "email": "TEXT", "role": "TEXT"},
    "/settings/organization": {"name": "TEXT", "timeZone": "TEXT"},
    "/settings/keys": {"name": "TEXT", "expiresOn": "TEXT"},
}


def batches(size):
    """Put them in batches, each of words from all over the list."""
    count = -(-len(PAYLOADS) // size)
    return [PAYLOADS[start::count] for start in range(count)]


def pytest_generate_tests(metafunc):
    """Take a small batch by turns, or under `make test-full` all of them in larger ones."""
    if "payloads" in metafunc.fixturenames:
        taken = batches(20) if metafunc.config.option.full else whose_turn(metafunc.config, batches(6))[:1]
        metafunc.parametrize("payloads", taken, ids=range(len(taken)))


@pytest.fixture
def hostile_books(ada, bank, payloads):
    """Books in which each payload stands alone in every free text, the bank's among them."""
    everything = " ".join(payloads)
    first = bank.open(everything[:NAME])
    rows = [(f"2026-03-{day % 28 + 1:02}", f"-{day}.00", text) for day, text in enumerate(payloads, 1)]
    drafts = [send(bank, row) for row in rows]
    acted = [send(bank, row) for row in rows]
    bank.set_state(send(bank, ("2026-03-30", "-99.00", everything)), "PENDING")
    things = bank.ask(lambda: [named(ada, text) for text in payloads])
    for text, draft, line, (merchant, project) in zip(payloads, drafts, acted, things, strict=True):
        accepted(
            ada.patch(f"/api/transactions/{draft}", json={"orgMerchantId": merchant, "projectId": project})
        )
        act_with(ada, line, text)
        reconcile_with(ada, bank, text)
    bank.ask(lambda: name_people(ada, payloads))
    return first


def send(bank, row):
    """Send a line whose every text is the payload."""
    text = row[2]
    return bank.send(*row, counterparty=text, reference=text, iban=text[:EMOJI], provider_transaction_id=None)


def named(ada, text):
    """Name everything that needs no act of its own, past what the schemas would refuse."""
    stamps = {"organization_id": ada.organization_id, "created_at": AT}
    dated = {**stamps, "updated_at": AT}
    merchant = Merchant(**dated, name=text, website=text, image_url=text, logo=text)
    project = Project(**dated, name=text, emoji=text[:EMOJI])
    file = Import(
        **stamps,
        file_name=text,
        format="ofx",
        status="REFUSED",
        error=text,
        warnings=[text],
        sha256="0" * 64,
    )
    document = Document(**dated, document_type="RECEIPT", sender=text, number=text, file_name=text, text=text)
    account = Account(**dated, name=text, emoji=text[:EMOJI], type="EXPENSE")
    group = ProjectGroup(**dated, name=text, emoji=text[:EMOJI])
    db.session.add_all([merchant, project, file, document, account, group])
    db.session.flush()
    skipped = {"verdict": "SKIPPED", "reason": text, "text": text}
    db.session.add(
        ImportLine(organization_id=ada.organization_id, import_id=file.id, position=0, row=1, **skipped)
    )
    return merchant.id, project.id


def act_with(ada, line, text):
    accepted(ada.patch(f"/api/transactions/{line}", json={"description": text}))
    act = accepted(ada.post(f"/api/transactions/{line}/confirm", json={"note": text}))
    (entry_id,) = act["result"]["journalEntryIds"]
    accepted(ada.post(f"/api/journal-entries/{entry_id}/void", json={"reason": text}))
    rule = {
        "name": text,
        "description": text,
        "conditions": {"conditions": [{"field": "ANY_TEXT", "operator": "CONTAINS", "value": text}]},
        "effects": [{"kind": "SET_CURRENCY", "currency": "EUR", "sortOrder": 1}],
    }
    accepted(ada.post("/api/automations/rules", json=rule))
    rate = {"day": "2026-03-02", "currency": "USD", "unitsPerBase": "1.1", "source": text}
    accepted(ada.put("/api/exchange-rates", json={"rates": [rate]}))
    accepted(ada.browser().post("/settings/keys", data={"name": text, "scopes": "read"}))


def reconcile_with(ada, bank, text):
    first, fa_id = bank.fa_id, bank.open(text)
    desk = Desk(ada, bank)
    desk.prove(balance="0.00")
    accepted(desk.reopen(text))
    bank.ask(lambda: name_bank(ada.organization_id, fa_id, text))
    bank.fa_id = first


def accepted(answer):
    """Give what an answer says, which must be no refusal: a fixture that writes nothing would prove nothing."""
    assert answer.status_code < 400, answer.text
    return answer.json if answer.is_json else None


def name_bank(organization_id, fa_id, text):
    feed = db.session.get_one(FeedAccount, (organization_id, fa_id))
    feed.mask, feed.external_id = text[:MASK], text
    institution = db.session.get_one(Institution, (organization_id, feed.institution_id))
    institution.name = institution.url = institution.logo = text


def name_people(ada, payloads):
    """Bring in a member and other books of each name."""
    owner = db.session.get_one(User, ada.user_id)
    for text in payloads:
        user = User(name=text, email=f"{text}@example.com", created_at=AT)
        db.session.add(user)
        db.session.flush()
        db.session.add(
            Membership(organization_id=ada.organization_id, user_id=user.id, role="viewer", created_at=AT)
        )
        organizations.create(text, "EUR", owner, now=AT)


def rename(ada, text):
    """Give the words that stand on every page: who is signed in, and where."""
    db.session.get_one(User, ada.user_id).name = text
    db.session.get_one(Organization, ada.organization_id).name = text


def crawl(page, beginning, most):
    waiting, seen, kinds, visited = [beginning], set(), Counter(), []
    while waiting and len(visited) < most:
        path = min(waiting, key=lambda path: kinds[without_numbers(path)])
        waiting.remove(path)
        if kind_of(path) in seen or path.startswith(LEAVES):
            continue
        seen.add(kind_of(path))
        kinds[without_numbers(path)] += 1
        answer = page.goto(path)
        assert answer.status < 400, (path, answer.status)
        visited.append(path)
        page.mouse.move(200, 200)
        page.mouse.move(400, 400)
        waiting += local_links(page)
    return visited


def kind_of(path):
    parts = urlsplit(path)
    names = parse_qs(parts.query, keep_blank_values=True)
    if not names:
        return parts.path
    return without_numbers(path), tuple(sorted(names)), tuple(names.get("line", ()))


def without_numbers(path):
    return re.sub("[0-9]+", "#", urlsplit(path).path)


def local_links(page):
    links = page.eval_on_selector_all(
        "a[href]:not([download])",
        "all => all.map(a => [new URL(a.getAttribute('href'), a.baseURI).href, a.getAttribute('href')])",
    )
    for _, written in links:
        assert not written.strip().lower().startswith(("javascript:", "data:", "vbscript:")), written
    here = urlsplit(page.url).netloc
    local = [urldefrag(address).url for address, _ in links if urlsplit(address).netloc == here]
    return [
        address.partition(here)[2] or "/"
        for address in local
        if not urlsplit(address).path.startswith("/api")
    ]


@pytest.mark.rare
def test_no_hostile_word_runs_on_any_page(browse, ada, bank, hostile_books, payloads, faults, rounds, figure):
    page = browse(ada)
    visited = crawl(page, "/", rounds(25, 1000))
    some = payloads[: rounds(1, len(payloads))]
    for text in some:
        bank.ask(lambda text=text: rename(ada, text))
        for path in ("/", "/settings/organization", "/activity"):
            page.goto(path)
        for path in ("/journal", "/merchants", f"/feeds/{hostile_books}"):
            page.goto(f"{path}?q={quoted(text)}")
        for path, form in REFUSALS.items():
            refused(page, path, {name: text if value == "TEXT" else value for name, value in form.items()})
    pages = len(visited) + len(some) * (6 + len(REFUSALS))
    figure("P52", f"{pages} pages, {len(payloads)} payloads in every free text: {len(faults)} faults")
    assert len({urlsplit(path).path for path in visited}) >= 20
    assert faults == []


def refused(page, path, form):
    """Send a form as the page's own would be sent, and stay on the page that says what is wrong."""
    with another_page(page):
        page.evaluate(
            """([path, fields]) => {
                const form = document.createElement("form");
                Object.assign(form, {action: path, method: "post"});
                for (const [name, value] of Object.entries(fields)) {
                    form.append(Object.assign(document.createElement("textarea"), {name, value}));
                }
                document.body.append(form);
                form.submit();
            }""",
            [path, form],
        )


@pytest.mark.rare
def test_no_hostile_word_runs_before_signing_in(browse, payloads, faults):
    page = browse()
    for text in payloads:
        page.goto("/sign-in?next=" + quoted(text))
        page.goto("/join/" + quoted(text).replace("/", "%2F"))
    page.goto("/sign-in")
    page.fill("input[name=email]", payloads[1])
    page.fill("input[name=password]", "no password")
    with another_page(page):
        page.eval_on_selector("form", "form => { form.noValidate = true; form.submit() }")
    assert faults == []


def test_there_are_two_hundred_payloads():
    assert len(set(PAYLOADS)) >= 200


def quoted(text):
    return quote(text, safe="")
