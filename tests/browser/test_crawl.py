"""Every page that links lead to, with hostile words in every free text: nothing of them runs (P52).

The browser fixture fails the test on any dialog, script error, console error or violation of the policy.
"""

from urllib.parse import quote, urldefrag, urlsplit

import pytest

from tests.fixtures.banks import AT
from webapp.db import db
from webapp.models import (
    Account,
    Document,
    FeedAccount,
    Import,
    ImportLine,
    Institution,
    ProjectGroup,
    Rule,
    User,
)

HOSTILE = (
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)" autofocus onfocus="alert(1)',
    "' onload='alert(1)",
    "javascript:alert(1)",
    "</title></textarea></script><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}${alert(1)}",
    '<a href="javascript:alert(1)">here</a>',
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<div hx-get='/sign-in' hx-trigger='load' hx-on:click='alert(1)'>",
    "<style>*{display:none}</style><link rel=stylesheet href=//evil.example>",
    "\u202e\u0007<base href=//evil.example>&lt;script&gt;",
)
EVERYTHING = " ".join(HOSTILE)
LEAVES = ("/sign-out",)
MOST_PAGES = 150


@pytest.fixture
def hostile_books(ada, bank, books):
    """Books in which every free text, the bank's among them, is hostile."""
    bank.ask(lambda: name_people_and_accounts(ada))
    fa_id = bank.open(EVERYTHING[:200])
    bank.ask(lambda: name_bank(fa_id))
    merchants = [
        bank.merchant(text, website="https://example.com/" + '"><script>alert(1)</script>')
        for text in HOSTILE
    ]
    projects = [bank.project(text) for text in HOSTILE]
    words = {
        "counterparty": EVERYTHING,
        "reference": EVERYTHING,
        "iban": HOSTILE[0],
        "provider_transaction_id": EVERYTHING,
    }
    rows = [(f"2026-03-{day:02}", f"-{day}.00", text) for day, text in enumerate(HOSTILE, 1)]
    lines = bank.send_many(rows, **words)
    for line, merchant, project in zip(lines, merchants, projects, strict=True):
        ada.patch(f"/api/transactions/{line}", json={"orgMerchantId": merchant, "projectId": project})
    for line in lines[:6]:
        ada.patch(f"/api/transactions/{line}", json={"description": EVERYTHING})
        ada.post(f"/api/transactions/{line}/confirm", json={"note": EVERYTHING})
    ada.patch(f"/api/transactions/{lines[0]}", json={"accountId": books.account_id("Travel")})
    entry_id = ada.get(f"/api/transactions/{lines[1]}").json["transaction"]["journalEntryId"]
    ada.post(f"/api/journal-entries/{entry_id}/void", json={"reason": EVERYTHING})
    bank.set_state(lines[11], "PENDING")
    ada.post(f"/api/transactions/{lines[11]}/confirm", json={"note": EVERYTHING})
    bank.ask(lambda: write_the_rest(ada.organization_id, fa_id))
    return fa_id


def name_people_and_accounts(ada):
    for user in db.session.query(User):
        user.name = EVERYTHING[:255]
    for account in db.session.query(Account).filter_by(organization_id=ada.organization_id, role=None):
        if account.name != "Travel":
            account.name, account.emoji = f"{account.code} {EVERYTHING}"[:255], HOSTILE[0]


def name_bank(fa_id):
    feed = db.session.get_one(FeedAccount, fa_id)
    feed.mask, feed.external_id = HOSTILE[0], EVERYTHING[:255]
    institution = db.session.get_one(Institution, feed.institution_id)
    institution.name, institution.url, institution.logo = EVERYTHING[:255], "javascript:alert(1)", HOSTILE[1]


def write_the_rest(organization_id, fa_id):
    stamps = {"organization_id": organization_id, "created_at": AT}
    file = Import(
        **stamps,
        file_name=EVERYTHING[:255],
        format="ofx",
        status="REFUSED",
        error=EVERYTHING,
        warnings=list(HOSTILE),
        sha256="0" * 64,
        feed_account_id=fa_id,
    )
    db.session.add_all(
        [
            file,
            ProjectGroup(**stamps, updated_at=AT, name=EVERYTHING[:255], emoji=HOSTILE[0]),
            Document(
                **stamps, updated_at=AT, document_type="RECEIPT", sender=EVERYTHING[:255], number=HOSTILE[0]
            ),
            Rule(
                **stamps,
                updated_at=AT,
                name=EVERYTHING[:255],
                description=EVERYTHING[:500],
                target="TRANSACTION",
                trigger="MANUAL_APPLY",
                conditions={
                    "match": "ALL",
                    "conditions": [{"field": "ANY_TEXT", "operator": "CONTAINS", "value": EVERYTHING}],
                },
                effects=[{"kind": "SET_CURRENCY", "currency": "EUR", "sortOrder": 1}],
            ),
        ]
    )
    db.session.flush()
    skipped = {"verdict": "SKIPPED", "reason": EVERYTHING, "text": EVERYTHING}
    db.session.add(
        ImportLine(organization_id=organization_id, import_id=file.id, position=0, row=1, **skipped)
    )


def crawl(page, beginning):
    """Visit every page that links lead to from here, one of each kind of address with a query."""
    waiting, seen, visited = [beginning], set(), []
    while waiting and len(visited) < MOST_PAGES:
        path = waiting.pop(0)
        if kind_of(path) in seen or path.startswith(LEAVES):
            continue
        seen.add(kind_of(path))
        answer = page.goto(path)
        assert answer.status < 400, (path, answer.status)
        visited.append(path)
        page.mouse.move(200, 200)
        page.mouse.move(400, 400)
        waiting += local_links(page)
    return visited


def kind_of(path):
    """Tell addresses apart by their path and the names in their query: what a cursor says makes no other page."""
    parts = urlsplit(path)
    return parts.path, tuple(sorted(pair.partition("=")[0] for pair in parts.query.split("&")))


def local_links(page):
    links = page.eval_on_selector_all(
        "a[href]:not([download])", "all => all.map(a => [a.href, a.getAttribute('href')])"
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


def test_no_hostile_word_runs_on_any_page(browse, ada, hostile_books, faults, figure):
    page = browse(ada)
    visited = crawl(page, "/")
    for query in HOSTILE:
        page.goto("/journal?q=" + quoted(query))
        page.goto(f"/feeds/{hostile_books}?q=" + quoted(query))
    figure("P52", f"{len(visited)} pages, {len(HOSTILE)} payloads in every free text: {len(faults)} faults")
    assert len({urlsplit(path).path for path in visited}) >= 20
    assert faults == []


def test_no_hostile_word_runs_before_signing_in(browse, faults):
    page = browse()
    for text in HOSTILE:
        page.goto("/sign-in?next=" + quoted(text))
        page.goto("/join/" + quoted(text).replace("/", "%2F"))
    page.goto("/sign-in")
    page.fill("input[name=email]", HOSTILE[1])
    page.fill("input[name=password]", "no password")
    page.eval_on_selector("form", "form => { form.noValidate = true; form.submit() }")
    page.wait_for_load_state()
    assert faults == []


def quoted(text):
    return quote(text, safe="")
