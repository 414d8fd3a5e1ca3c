"""Another organization's things do not exist for you: in paths, in bodies, in lists (P34, P35, P36)."""

import json

import pytest

from tests.fixtures.helpers.documents import filed
from tests.security.addresses import NEVER_ISSUED, OF_CONSENTS, OF_MAIL, addresses_of
from tests.security.conftest import CANARY, CANARY_AMOUNT

FIRST = "own_books.start_first"
IMPOSSIBLE = (
    "0",
    "-1",
    "01",
    "1.0",
    "9223372036854775808",
    "9" * 40,
    "x",
    "1%00",
    "%D9%A1",
    "1;2",
    "+1",
    "1e3",
    "null",
)


def names_rows(address):
    """Whether an address has ids in it, and not only the name of what is the same for everybody: a page, a tax pack."""
    return bool(set(address.parameters) - {"area", "code", "name", "period", "slug"})


@pytest.fixture
def with_ids(app):
    """The addresses of the API that name something and take tokens."""
    named = [address for address in addresses_of(app) if address.is_api and names_rows(address)]
    return [address for address in named if not address.session_only]


def test_the_ids_of_these_tests_are_real(ada, app, ids):
    for address in addresses_of(app):
        # An area of the documentation is everybody's; the link to the first books leads nowhere later, and a consent
        # is not asked of every connection.
        if (
            address.is_safe
            and names_rows(address)
            and address.endpoint not in {FIRST, *OF_CONSENTS, *OF_MAIL}
        ):
            unknown = set(address.parameters) - ids.keys()
            assert not unknown, f"Make {unknown} in tests/security/conftest.py: ids."
            reader = ada.browser() if address.session_only else ada
            assert reader.get(address.asked(ids)).status_code < 400, address.name


@pytest.mark.rare
def test_unknown_foreign_and_impossible_ids_answer_alike(dan, ada, ids, with_ids, state_of, figure):
    before = state_of(ada.organization_id)
    told = {}
    for address in with_ids:
        foreign = dan.ask(address.method, address.asked(ids), **address.options())
        paths = [address.asked(), *(address.asked(default=each) for each in IMPOSSIBLE)]
        others = [dan.ask(address.method, path, **address.options()) for path in paths]
        assert foreign.status_code == 404, (address.name, foreign.status_code, foreign.text)
        told[address.name] = {foreign.data, *(other.data for other in others)}
        assert {other.status_code for other in others} <= {404, 405}, address.name
        assert {other.data for other in others if other.status_code == 404} == {foreign.data}, address.name
    # Each names the address that lists such records, and nothing of the id.
    assert all(len({each for each in answers if b"not_found" in each}) == 1 for answers in told.values())
    assert state_of(ada.organization_id) == before
    figure("P34", f"{len(with_ids)} addresses with {len(IMPOSSIBLE) + 2} ids each: all alike 404")


def test_a_session_of_another_organization_meets_the_same(dan, ids, app):
    browser = dan.browser()
    for address in addresses_of(app):
        if names_rows(address) and address.scope != "public":
            options = address.options()
            answer = browser._ask(address.method, address.asked(ids), options)  # noqa: SLF001
            assert answer.status_code == 404, (address.name, answer.status_code)


def bodies_with(ids):
    """List requests that name something in a body or a query; NAME stands for the id."""
    split = {"accountId": "NAME", "amount": "-1.00"}
    posting = {"accountId": "NAME", "amount": "1.00"}
    effect = {"kind": "SET_ACCOUNT", "accountId": "NAME", "sortOrder": 1}
    rule = {"name": "A rule", "effects": [effect]}
    return [
        ("PATCH", "/api/transactions/LINE", {"accountId": "NAME"}, ids["account_id"]),
        ("PATCH", "/api/transactions/LINE", {"projectId": "NAME"}, ids["project_id"]),
        ("PATCH", "/api/transactions/LINE", {"orgMerchantId": "NAME"}, ids["merchant_id"]),
        ("PATCH", "/api/transactions/LINE", {"splits": [split, split]}, ids["account_id"]),
        (
            "POST",
            "/api/journal-entries",
            {"effectiveAt": "2026-03-02", "postings": [posting, posting]},
            ids["account_id"],
        ),
        ("POST", "/api/transactions/confirm", {"ids": ["NAME"]}, ids["transaction_id"]),
        ("GET", "/api/transactions?faId=NAME", None, ids["fa_id"]),
        ("GET", "/api/transactions?accountId=NAME", None, ids["account_id"]),
        ("GET", "/api/journal-entries?accountId=NAME", None, ids["account_id"]),
        ("GET", "/api/transactions?projectId=NAME", None, ids["project_id"]),
        ("GET", "/api/journal-entries?orgMerchantId=NAME", None, ids["merchant_id"]),
        ("GET", "/api/transactions?projectGroupId=NAME", None, ids["group_id"]),
        ("GET", "/api/journal-entries?projectGroupId=NAME", None, ids["group_id"]),
        ("GET", "/api/reports/trial-balance?projectId=NAME", None, ids["project_id"]),
        ("GET", "/api/reports/profit-and-loss?projectGroupId=NAME", None, ids["group_id"]),
        ("GET", "/api/reports/general-ledger?orgMerchantId=NAME", None, ids["merchant_id"]),
        ("POST", "/api/merchants/MERCHANT/merge", {"mergedIntoId": "NAME"}, ids["merchant_id"]),
        ("POST", "/api/projects", {"name": "A project", "groupId": "NAME"}, ids["group_id"]),
        ("GET", "/api/projects?groupId=NAME", None, ids["group_id"]),
        (
            "POST",
            "/api/accounts",
            {"name": "An account", "type": "EXPENSE", "parentId": "NAME"},
            ids["account_id"],
        ),
        (
            "POST",
            "/api/feeds/accounts",
            {"name": "A feed", "currency": "EUR", "accountId": "NAME"},
            ids["account_id"],
        ),
        ("POST", "/api/documents", {"accountId": "NAME"}, ids["account_id"]),
        ("POST", "/api/documents", {"orgMerchantId": "NAME"}, ids["merchant_id"]),
        ("POST", "/api/documents", {"projectId": "NAME"}, ids["project_id"]),
        ("PATCH", "/api/documents/DOCUMENT", {"accountId": "NAME"}, ids["account_id"]),
        ("POST", "/api/documents/DOCUMENT/relations", {"transactionId": "NAME"}, ids["transaction_id"]),
        ("POST", "/api/documents/DOCUMENT/relations", {"journalEntryId": "NAME"}, ids["entry_id"]),
        ("DELETE", "/api/documents/DOCUMENT/relations", {"transactionId": "NAME"}, ids["transaction_id"]),
        ("POST", "/api/documents/DOCUMENT/entry", {"accountId": "NAME"}, ids["account_id"]),
        ("POST", "/api/transactions/LINE/splits", {"documentId": "NAME"}, ids["document_id"]),
        ("POST", "/api/documents/DOCUMENT/declines", {"transactionId": "NAME"}, ids["transaction_id"]),
        ("POST", "/api/documents/DOCUMENT/declines", {"journalEntryId": "NAME"}, ids["entry_id"]),
        ("DELETE", "/api/documents/DOCUMENT/declines", {"transactionId": "NAME"}, ids["transaction_id"]),
        (
            "POST",
            "/api/automations/rules/preview?documentId=NAME",
            {**rule, "target": "RECEIPT", "effects": [{"kind": "SET_CURRENCY", "currency": "EUR"}]},
            ids["document_id"],
        ),
        ("POST", "/api/automations/rules", rule, ids["account_id"]),
        (
            "POST",
            "/api/automations/rules",
            {**rule, "effects": [{"kind": "SET_MERCHANT", "orgMerchantId": "NAME", "sortOrder": 1}]},
            ids["merchant_id"],
        ),
        (
            "POST",
            "/api/automations/rules",
            {**rule, "effects": [{"kind": "SET_PROJECT", "projectId": "NAME", "sortOrder": 1}]},
            ids["project_id"],
        ),
    ]


def test_in_bodies_and_queries_too(dan, ada, bank, ids, state_of, refused_acts, figure):
    line = bank.of(dan).send("2026-03-02", "-2.00")
    document, merchant = filed(dan, number="1")["id"], bank.of(dan).merchant("His own")
    before = state_of(ada.organization_id), state_of(dan.organization_id, without=refused_acts)
    requests = bodies_with(ids)
    for method, address, body, foreign_id in requests:
        path = address.replace("DOCUMENT", str(document)).replace("MERCHANT", str(merchant))
        answers = [ask(dan, method, path, body, one, line) for one in (foreign_id, NEVER_ISSUED)]
        statuses = {answer.status_code for answer in answers}
        told = [
            alike(answer.json, one) for answer, one in zip(answers, (foreign_id, NEVER_ISSUED), strict=True)
        ]
        assert len(statuses) == 1, (path, body, told)
        assert statuses <= {200, 404, 422}, (path, body, told)
        assert told[0] == told[1], (path, body)
        assert CANARY not in answers[0].text
    assert (state_of(ada.organization_id), state_of(dan.organization_id, without=refused_acts)) == before
    figure("P35", f"{len(requests)} requests with a foreign id: answered as unknown ones, nothing written")


def ask(person, method, path, body, one, line):
    text = json.dumps(body).replace('"NAME"', str(one))
    path = path.replace("NAME", str(one)).replace("LINE", str(line))
    return person.ask(method, path, **({} if body is None else {"json": json.loads(text)}))


def alike(answer, one):
    """Give an answer with the id that was asked for, and ids of acts, in one writing."""
    if isinstance(answer, dict):
        return {key: alike(value, one) for key, value in answer.items() if key != "actionRequestId"}
    if isinstance(answer, list):
        return [alike(value, one) for value in answer]
    return "the id" if answer == one else answer


@pytest.mark.rare
def test_no_canary_is_ever_seen_elsewhere(dan, cleo, app, ids, portion, figure):
    """Cleo sees the canaries of her own books in most lists; Dan sees none, whatever he asks."""
    reading = [
        address for address in addresses_of(app) if address.is_safe and address.rule != "/api/openapi.json"
    ]
    queries = [
        "",
        "?limit=200",
        f"?q={CANARY}",
        f"?q={CANARY_AMOUNT}",
        "?status=POSTED",
        "?from=2026-03-02",
        f"?{CANARY}=1",
    ]
    seen = asked = 0
    browser = dan.browser()
    for index, address in enumerate(reading):
        seen += CANARY in text_of(cleo.get(address.path(ids)))
        for query in portion(5, queries, index):
            for answer in (dan.get(address.path(ids) + query), browser.get(address.path(ids) + query)):
                asked += 1
                known = text_of(answer).replace(f"?{CANARY}", "").replace(f"{CANARY}=1", "")
                if CANARY in query or CANARY_AMOUNT in query:
                    known = known.replace(CANARY, "", known.count(CANARY) if answer.status_code == 422 else 0)
                    known = without_what_was_typed(known)
                assert CANARY not in known, address.name
                assert CANARY_AMOUNT not in known, address.name
    assert seen >= 10
    figure("P36", f"0 canaries in {asked} answers")


def text_of(answer):
    """Read an answer, which may be a workbook."""
    return answer.get_data().decode(errors="replace")


def without_what_was_typed(page):
    """Take out what a search field repeats of what was typed into it, and links that carry it on."""
    return (
        page.replace(f'value="{CANARY}"', "")
        .replace(f'value="{CANARY_AMOUNT}"', "")
        .replace(f"q={CANARY}", "")
        .replace(f"q={CANARY_AMOUNT}", "")
    )
