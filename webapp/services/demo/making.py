"""The demo organization: a studio's fourteen months, kept the way that a person would keep them.

The savings are reconciled to the last month's end, and so were the dollars, until a key voided an entry that the last
proof had cleared; the current account has an open draft that is half cleared; the card was never reconciled. On the way
there are a split, corrections, a void, an open correction marker, invoices, one of them attached, and rules: two were
applied by hand, and all of them run on what the banks sent last. The tax returns of the first quarters are filed and
paid; a receipt of the last one was found later, and the next return is open. Clients owe invoices, one of them overdue,
one partly paid, one in dollars, one named by a line that waits; suppliers are owed bills. An agent's key may propose.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from webapp.demo import invoices, studio
from webapp.demo.countries import GERMANY, StudioCountry
from webapp.demo.lines import BankAccount, Booking, DemoLine
from webapp.demo.papers import Paper
from webapp.demo.story import Story, make_story
from webapp.models import Organization, User
from webapp.services.access import organizations
from webapp.services.audit.act import Actor
from webapp.services.bookkeeping import manual_entries
from webapp.services.demo import owed, rules
from webapp.services.demo.bookkeeper import Bookkeeper

MIDDLE = 15
AGENT, SCRIPT = "Month-end agent", "Bank fee script"
# How many days after a month's end its statements are worked on.
LATER = timedelta(days=2)
# The months, counted from 0 for the first, whose lines of an account were not touched any more.
CURRENT_UNPROVED, CARD_UNCONFIRMED, CARD_UNTOUCHED, OTHERS_UNPROVED = 12, 10, 12, 13
# The months in which something happens beside the routine.
BOUGHT, LEFT_OPEN, SPLIT, MISTAKEN, VOIDED, MOVED, FOUND, PAID = 2, 4, 5, 6, 8, 10, 11, 12
PLOTTER = Decimal("1249.00")
LAMP = Decimal("83.30")
QUARTER = 3


@dataclass(frozen=True, slots=True)
class Made:
    """The demo organization, and the text of the key that its agent proposes with."""

    organization: Organization
    agent_key: str


def make(owner: User, *, seed: int, day: date, country: StudioCountry = GERMANY) -> Made:
    """Open the demo organization of a seed and keep its books up to a day."""
    story = make_story(seed, day, country)
    opened_at = datetime.combine(story.months[0].first, time(8), UTC)
    organization = organizations.create(
        studio.NAME, country.currency, owner, now=opened_at, is_demo=True, chart=country.chart
    )
    actor = Actor(organization.id, "PERSON", owner.id, owner.name, owner.id)
    keeper = Bookkeeper(actor, day, country)
    keeper.sit_down(story.months[0].first)
    keeper.move_in(story.accounts)
    keeper.quote(rate for rate in story.rates if rate[0] < story.months[0].first)
    keeper.keep_taxes(next(month.first for month in story.months if _begins_quarter(month.first)))
    for index, month in enumerate(story.months):
        _keep_month(keeper, story, index)
        if _begins_quarter(month.last + timedelta(days=1)):
            story = _file_return(keeper, story, index)
    keeper.sit_down(day)
    _file_invoices(keeper, story)
    _break_a_proof(keeper, story)
    _, agent_key = keeper.make_key(AGENT, ("read", "draft", "propose"))
    return Made(organization, agent_key)


def _begins_quarter(day: date) -> bool:
    return day.day == 1 and day.month % 3 == 1


def _file_return(keeper: Bookkeeper, story: Story, index: int) -> Story:
    """File the return of a quarter while all is confirmed, and give the story in which it is paid; none is late."""
    last = story.months[index].last
    if index >= CARD_UNCONFIRMED:
        return story.with_tax_paid(last, 0)
    payable = keeper.file_return(last) if index >= QUARTER - 1 else None
    return story if payable is None else story.with_tax_paid(last, payable)


def _keep_month(keeper: Bookkeeper, story: Story, index: int) -> None:
    """Import a month's statements, categorise their lines, confirm and prove part of them."""
    month = story.months[index]
    keeper.sit_down(month.last + LATER)
    keeper.quote(rate for rate in story.rates if month.first <= rate[0] <= month.last)
    for account in story.accounts:
        pending = account.pending if month.last == story.day else ()
        if account.booked(month.first, month.last) or pending:
            keeper.take(account, month.first, month.last, with_pending=bool(pending))
    _keep_current(keeper, story, index)
    _keep_card(keeper, story, index)
    for account in (story.dollars, story.savings):
        _keep_proved(keeper, account, story, index)
    if index < CURRENT_UNPROVED:
        keeper.pair_transfers()
    _happen(keeper, story, index)
    for invoice in invoices.issued(story, month, _waiting(story)):
        owed.write(keeper, invoice)


def _waiting(story: Story) -> DemoLine | None:
    """Find a client's payment that nobody has booked yet: the newest of the lines that are left for the reader."""
    late = story.months[CURRENT_UNPROVED]
    lines = story.current.booked(late.first, late.last)
    early = sum(line.day.day <= MIDDLE for line in lines)
    this_month = story.months[-1]
    left = [*lines[early + 1 :: 2], *story.current.booked(this_month.first, this_month.last)]
    return next((line for line in reversed(left) if line.booking.code == "4000"), None)


def _keep_current(keeper: Bookkeeper, story: Story, index: int) -> None:
    """Prove the current account month by month; the last statement is half worked through, and this month waits."""
    month = story.months[index]
    lines = story.current.booked(month.first, month.last)
    if index < CURRENT_UNPROVED:
        _finish(keeper, lines)
        keeper.prove(story.current, month.last, opening_date=_opening_date(story, index))
    elif index == CURRENT_UNPROVED:
        early = [line for line in lines if line.day.day <= MIDDLE]
        _finish(keeper, early)
        for line in lines[len(early) :: 2]:
            keeper.book(line)
        keeper.draw_up(story.current, month.last)
        keeper.clear(story.current, early)


def _keep_card(keeper: Bookkeeper, story: Story, index: int) -> None:
    """Confirm the card's first months, and categorise the lines of two more."""
    month = story.months[index]
    lines = story.card.booked(month.first, month.last)
    # Two lines are confirmed uncategorised: the hub shows them.
    hasty = 2 if index == LEFT_OPEN else 0
    for line in lines[:hasty]:
        keeper.confirm(line)
    if index < CARD_UNCONFIRMED:
        _finish(keeper, lines[hasty:])
    elif index < CARD_UNTOUCHED:
        for line in lines:
            keeper.book(line)


def _keep_proved(keeper: Bookkeeper, account: BankAccount, story: Story, index: int) -> None:
    """Prove an account month by month, to the last month's end."""
    month = story.months[index]
    if index < OTHERS_UNPROVED:
        _finish(keeper, account.booked(month.first, month.last))
        keeper.prove(account, month.last, opening_date=_opening_date(story, index))


def _finish(keeper: Bookkeeper, lines: Sequence[DemoLine]) -> None:
    for line in lines:
        keeper.book(line)
        keeper.confirm(line)


def _opening_date(story: Story, index: int) -> date | None:
    """Begin the first statement as new, from the day before the first month on."""
    return story.months[0].first - timedelta(days=1) if index == 0 else None


def _happen(keeper: Bookkeeper, story: Story, index: int) -> None:
    """Add special acts: a purchase without the bank, a split, mistakes and their corrections."""
    month = story.months[index]
    card = story.card.booked(month.first, month.last)
    current = story.current.booked(month.first, month.last)
    if index == BOUGHT:
        _buy_privately(keeper, month.first + timedelta(days=8))
    elif index == SPLIT:
        _split(keeper, _of(card, "6500"))
    elif index == MISTAKEN:
        mistaken = _of(card, "6550")
        keeper.edit(mistaken, keeper.booked(mistaken, "6500"))
        keeper.confirm(mistaken, "It was the train's restaurant on the way to the client.")
    elif index == VOIDED:
        _void(keeper, _of(card, "6550"))
    elif index == MOVED:
        moved = _of(current, "4000")
        keeper.edit(moved, {"project_id": keeper.project("Website relaunch")})
        keeper.confirm(moved, "The client moved this part of the order.")
    elif index == FOUND:
        _find_receipt(keeper, _of(card, "6350").party)
    elif index == CURRENT_UNPROVED:
        moved = _of(current, "6300")
        keeper.edit(moved, keeper.booked(moved, "6200"))
        rules.write(keeper, since=month.first)


def _of(lines: Sequence[DemoLine], code: str) -> DemoLine:
    """Choose the first line that belongs to an account, or any where chance brought none."""
    return next((line for line in lines if line.booking.code == code), lines[0])


def _buy_privately(keeper: Bookkeeper, day: date) -> None:
    """Write an entry without a bank line."""
    manual_entries.create(
        effective_at=day,
        description="Plotter, paid privately by Mara",
        postings=[
            {"account_id": keeper.code("1500"), "amount": PLOTTER},
            {"account_id": keeper.code("3100"), "amount": -PLOTTER},
        ],
        post=True,
        **keeper.act,
    )


def _find_receipt(keeper: Bookkeeper, party: str) -> None:
    """Write a purchase of a quarter of which the return is filed: it comes late, and enters the next one."""
    day = keeper.filed_to - timedelta(days=9)
    manual_entries.create(
        effective_at=day,
        description=f"Desk lamp from {party}, paid privately by Mara, receipt found later",
        postings=[
            {
                "account_id": keeper.code("6350"),
                "amount": LAMP,
                "tax_code_id": keeper.tax_code(party, "6350", day),
            },
            {"account_id": keeper.code("3100"), "amount": -LAMP},
        ],
        post=True,
        **keeper.late_act,
    )


def _split(keeper: Bookkeeper, line: DemoLine) -> None:
    """Give a quarter of a posted line to another account, by a correction."""
    part = line.amount_minor // 4
    parts = {"6550": part, line.booking.code: line.amount_minor - part}
    keeper.edit(
        line,
        {
            "splits": [keeper.part(line, code, minor) for code, minor in parts.items()],
        },
    )
    keeper.confirm(line, "A quarter of it was for the client's dinner.")


def _void(keeper: Bookkeeper, line: DemoLine) -> None:
    """Void a line's entry, and book the fresh draft as what it was."""
    keeper.void(line, "A private dinner, paid with the wrong card.")
    keeper.book(line, Booking("3200"))
    keeper.confirm(line)


def _file_invoices(keeper: Bookkeeper, story: Story) -> None:
    """File the invoices of two card payments, and attach the first to its line."""
    month = story.months[PAID]
    card = story.card.booked(month.first, month.last)
    keeper.file(Paper.of(_of(card, "6250"), story.country.currency), attach_to=_of(card, "6250"))
    keeper.file(Paper.of(_of(card, "6350"), story.country.currency))


def _break_a_proof(keeper: Bookkeeper, story: Story) -> None:
    """Let a key void an entry that the last proof of the dollars cleared."""
    month = story.months[PAID]
    fee = _of(story.dollars.booked(month.first, month.last), "7000")
    key, _ = keeper.make_key(SCRIPT, ("read", "draft", "confirm"))
    keeper.void(fee, "It looked like a double of the fee before.", key=key)
