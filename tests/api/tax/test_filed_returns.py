"""What happens after a return is filed: each act is refused, asked about, or named as late, and the return stays."""

from tests.api.tax.conftest import done
from tests.api.tax.test_returns import file, open_return, read
from tests.api.tax.test_settled_taxes import Owed

FIRST = "2026-03-31"
ENTRIES, RETURNS = "/api/journal-entries", "/api/tax/returns"
ASKED = (409, "tax_period_filed")


class Filed(Owed):
    """Books whose first quarter is filed, with something of each kind in it."""

    def __init__(self, person, bank):
        super().__init__(person, bank)
        self.owed = self.invoice("2026-01-10", "1200.00", ("1200.00", "S20"), name="INV-1")
        self.wrong = self.invoice("2026-01-11", "600.00", ("600.00", "S20"), name="INV-2")
        self.cash = self.invoice("2026-01-12", "240.00", ("240.00", "S20C"), name="INV-3")
        self.pay("2026-02-10", "240.00", (self.cash, "240.00"))
        self.bought, self.other = (self.purchase("2026-01-13", gross, "P20") for gross in ("60.00", "36.00"))
        self.line = self.coded("2026-02-04", "-120.00")
        self.filed = file(self, FIRST)

    def coded(self, day, amount, code="P20"):
        line = self.bank.send(day, amount)
        self.split(line, ("Software", amount, code, {}))
        return self.done(f"/api/transactions/{line}/confirm", result=line)

    def done(self, path, body=None, result=None):
        answer = done(self.person.post(path, json=body or {}))
        return result or answer

    def late(self):
        rows = open_return(self)["late"]
        exact = [{box["box"]: box["exact"] for box in each["boxes"]} for each in rows]
        return sorted(
            ((each["taxPoint"], each["as"], own) for each, own in zip(rows, exact, strict=True)), key=str
        )


def adjustment(books):
    boxes = [{"box": "4", "amount": "-10.00"}]
    legs = [books.posting("VAT receivable", "-10.00"), books.posting("Software", "10.00")]
    body = {"form": books.pack, "taxPoint": "2026-02-28", "reason": "PRIVATE_USE", "note": "A car"}
    return "/api/tax/adjustments", body | {"boxes": boxes, "legs": legs}


def entry(books, day, **tax):
    sale = books.posting("Sales of services", "-12.00", "S20", **tax)
    return {
        "effectiveAt": day,
        "description": "Sale",
        "postings": [books.posting("Petty cash", "12.00"), sale],
    }


def credit_note(books, day):
    owed = books.posting("Trade receivables", "-120.00", orgMerchantId=books.acme, reference="CR")
    back = books.posting("Sales of services", "120.00", "S20")
    return {"effectiveAt": day, "description": "Credit note", "postings": [owed, back], "post": True}


def relief(books, day):
    item = books.item(books.owed)["id"]
    body = {"itemId": item, "amount": "120.00", "day": day, "counterAccountId": books.accounts["Software"]}
    return "/api/tax/bad-debts", body


def correction(books):
    postings = [books.posting("Petty cash", "-60.00"), books.posting("Software", "60.00", "P5")]
    return f"/api/journal-entries/{books.bought}/correct", {"postings": postings, "reason": "Reduced rate"}


def recoded(books):
    books.split(books.line, ("Software", "-120.00", "P5", {}))
    return f"/api/transactions/{books.line}/confirm", {}


def bank_line(books):
    line = books.bank.send("2026-03-05", "-6.00")
    books.split(line, ("Software", "-6.00", "P20", {}))
    return f"/api/transactions/{line}/confirm", {}


def discounted(books):
    line = books.bank.send("2026-02-15", "588.00")
    short = {"amount": "12.00", "as": "DISCOUNT", "accountId": books.accounts["Sales of services"]}
    settles = [{"itemId": books.item(books.owed)["id"], "amount": "600.00"}]
    body = {"settles": settles, "short": short, "force": True}
    done(books.person.patch(f"/api/transactions/{line}", json=body))
    return f"/api/transactions/{line}/confirm", {"force": True}


def draft(books):
    made = done(books.person.post(ENTRIES, json=entry(books, "2026-03-02")))["entry"]["id"]
    return f"{ENTRIES}/{made}/post", {}


def undo(books):
    listed = done(books.person.get("/api/settlements"))["settlements"]
    settlement = min(each["id"] for each in listed)
    return f"/api/settlements/{settlement}/undo", {"reason": "Wrong", "why": "MISTAKE"}


def void(books, entry_id, **why):
    return f"{ENTRIES}/{entry_id}/void", {"reason": "Wrong", **why}


def settlement_corrected(books):
    _, body = correction(books)
    return f"{ENTRIES}/{books.filed['journalEntryId']}/correct", body


def again(books):
    return RETURNS, {"form": books.pack, "to": FIRST, "digest": open_return(books)["digest"]}


# What each act is answered with, and what it adds to the open return: its tax point, as what, and boxes.
ACTS = [
    (
        lambda books: (ENTRIES, {**entry(books, "2026-03-01"), "post": True}),
        ASKED,
        ("2026-03-01", "ERROR", {"1": "2.00", "6": "10.00"}),
    ),
    (
        lambda books: (ENTRIES, {**entry(books, "2026-04-02", taxPoint="2026-03-30"), "post": True}),
        ASKED,
        ("2026-03-30", "ERROR", {"1": "2.00", "6": "10.00"}),
    ),
    (draft, ASKED, ("2026-03-02", "ERROR", {"1": "2.00", "6": "10.00"})),
    (
        lambda books: void(books, books.other),
        ASKED,
        ("2026-01-13", "ERROR", {"4": "-6.00", "7": "-30.00"}),
    ),
    (correction, ASKED, ("2026-01-13", "ERROR", {"4": "-7.14", "7": "7.14"})),
    (recoded, ASKED, ("2026-02-04", "ERROR", {"4": "-14.29", "7": "14.29"})),
    (lambda books: void(books, books.wrong), (422, "why_missing"), None),
    (lambda books: void(books, books.wrong, why="THE_INVOICE"), (409, "credit_note_expected"), None),
    (
        lambda books: void(books, books.wrong, why="OUR_ENTRY"),
        ASKED,
        ("2026-01-11", "ERROR", {"1": "-100.00", "6": "-500.00"}),
    ),
    (adjustment, ASKED, ("2026-02-28", "ERROR", {"4": "-10.00"})),
    (lambda books: relief(books, "2026-03-20"), ASKED, ("2026-03-20", "NO_ERROR", {"4": "20.00"})),
    (lambda books: relief(books, "2026-05-20"), None, None),
    (
        lambda books: (ENTRIES, credit_note(books, "2026-03-25")),
        ASKED,
        ("2026-03-25", "NO_ERROR", {"1": "-20.00", "6": "-100.00"}),
    ),
    (lambda books: (ENTRIES, {**credit_note(books, "2026-04-25"), "force": True}), None, None),
    (bank_line, None, ("2026-03-05", "ERROR", {"4": "1.00", "7": "5.00"})),
    (discounted, None, ("2026-02-15", "NO_ERROR", {"1": "-2.00", "6": "-10.00"})),
    (undo, None, ("2026-02-10", "ERROR", {"1": "-40.00", "6": "-200.00"})),
    (again, (422, "not_a_period"), None),
    (lambda books: void(books, books.filed["journalEntryId"]), (409, "settlement"), None),
    (settlement_corrected, (409, "not_manual"), None),
]
SETTINGS = [
    (lambda books: f"/api/tax/codes/{books.codes['S20']}", {"name": "Old", "validTo": "2026-01-31"}, 200),
    (lambda books: f"/api/tax/codes/{books.codes['S20']}", {"shares": []}, 422),
    (lambda books: f"/api/tax/packs/{books.pack}", {"from": "2026-02-01"}, 422),
]


def test_no_act_changes_a_filed_return(ada, bank):
    """Twenty acts, and three changes of settings: refused, asked about, or late; the return stays as it was filed."""
    books = Filed(ada, bank)
    expected = []
    for act, refusal, late in ACTS:
        path, body = act(books)
        if refusal is not None:
            answer = ada.post(path, json=body)
            assert (answer.status_code, answer.json["code"]) == refusal, body
        if refusal in (None, ASKED):
            warned = done(ada.post(path, json={**body, "late": True} if refusal else body)).get(
                "warnings", []
            )
            assert bool(warned) == bool(late), body
        expected += [late] if late else []
        assert read(books, books.filed) | {"sinceFiling": []} == books.filed
    for path, body, status in SETTINGS:
        assert ada.patch(path(books), json=body).status_code == status, body
    assert read(books, books.filed) | {"sinceFiling": []} == books.filed
    assert books.late() == sorted(expected, key=str)
    assert bank.broken() == []
