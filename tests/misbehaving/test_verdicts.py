"""After every act all answers whether a proof holds are the same: hub, record, `check`, saved proof, restored books."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
import sqlalchemy as sa

from tests.fixtures.feeds import line
from tests.fixtures.helpers.keepers import Known, asking
from tests.fixtures.helpers.provers import PROVERS_ACTS, Prover, prove_account, push
from tests.fixtures.oracles.proof_oracles import ProofOracle
from tests.fixtures.people import apart
from webapp import create_app
from webapp.database.sessions import begin_read, begin_write, db
from webapp.database.tenancy import maintenance
from webapp.ledger.errors import LedgerError
from webapp.ledger.proofs import proof_findings
from webapp.migrations.revisions import head_revision
from webapp.models import FeedAccount, JournalEntry, ProofBreak, Reconciliation, Transaction
from webapp.queries import checks
from webapp.queries.accounts import feed_accounts
from webapp.queries.checks import proofs as proof_checks
from webapp.queries.reconciliation import (
    book_balances,
    computed_verdicts,
    draft_entries,
    hub,
    uneven_lines,
    verdicts,
)
from webapp.services.backups import backups, restores
from webapp.services.bookkeeping import revaluations

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.banks import Bank
    from tests.fixtures.people import Person

AT = datetime(2026, 4, 20, 9, tzinfo=UTC)
# In full 100 walks of 100 acts, by tens, with a restore after each act; quickly one short walk with one restore.
TURNS, WALKS, ACTS = 10, 10, 100
QUICK_WALKS, QUICK_ACTS, QUICK_RESTORE = 1, 24, 24
# A rule is run at the fourth act and at each fortieth after it; some acts later its run is undone, if it was one.
RULED, UNDONE_AFTER, RULE_EVERY = 4, 3, 40
# By what a proof is off, in minor units: nothing for one that holds.
Verdicts = dict[int, tuple[bool, int, int]]


def standing() -> list[Reconciliation]:
    return list(
        db.session.scalars(
            sa.select(Reconciliation).where(Reconciliation.status == "COMPLETED").order_by(Reconciliation.id)
        )
    )


def figures(of: Any, organization_id: str) -> Verdicts:
    return {
        proof_id: (each.holds, each.cleared_now_minor, each.off_by_minor)
        for proof_id, each in of(organization_id, standing()).items()
    }


def asked_as_many(organization_id: str, many: int) -> dict[int, tuple[object, ...]]:
    """Ask for the whole verdicts, and the books beside the statements, as where `many` proofs are many."""
    with mock.patch.object(uneven_lines, "MANY", many):
        proofs = standing()
        books = book_balances.of_statements(organization_id, [proof.id for proof in proofs])
        found = computed_verdicts.of_proofs(organization_id, proofs)
    return {
        each: (
            found[each],
            beside.ledger_balance_minor,
            Counter(beside.outstanding),
            Counter(beside.in_transit),
            beside.outside_open,
        )
        for each, beside in books.items()
    }


def drafts_beside_books() -> list[tuple[object, ...]]:
    def beside(books: book_balances.StatementBooks) -> tuple[object, ...]:
        outstanding, in_transit = Counter(books.outstanding), Counter(books.in_transit)
        return books.ledger_balance_minor, outstanding, in_transit, books.outside_open

    def with_posted(draft: Reconciliation, count: int) -> tuple[object, ...]:
        with mock.patch.object(draft_entries, "_posted_count", return_value=count):
            return beside(book_balances.of_draft(draft))

    return [
        (
            beside(book_balances.of_statements(draft.organization_id, [draft.id])[draft.id]),
            with_posted(draft, 0),
            with_posted(draft, sys.maxsize),
        )
        for draft in db.session.scalars(sa.select(Reconciliation).where(Reconciliation.status == "DRAFT"))
    ]


def unconfirmed(organization_id: str) -> tuple[Counter[int], Counter[int]]:
    ids = db.session.scalars(sa.select(FeedAccount.id)).all()
    kept = {each.fa_id: each.unconfirmed_count for each in feed_accounts.records(organization_id, ids)}
    drafts = db.session.scalars(sa.select(JournalEntry).where(JournalEntry.status == "DRAFT"))
    waiting = {draft.corrects_id or draft.id for draft in drafts}
    lines = db.session.scalars(sa.select(Transaction).where(Transaction.status == "BOOKED"))
    return +Counter(kept), Counter(each.feed_account_id for each in lines if each.journal_entry_id in waiting)


class RestoredBooks:
    """Empty books of their own, into which one backup after another is restored, and taken out again."""

    def __init__(self, house: Any, folder: Path) -> None:
        house.store.copy("migrated", "restored")
        settings = replace(
            house.settings, database_url=house.store.url("restored"), instance_path=folder / "restored"
        )
        settings.instance_path.mkdir()
        self.app = create_app(settings)
        self._path = folder / "books.zip"

    def verdicts_of(self, organization_id: str, app: Any) -> tuple[Verdicts, list[object]]:
        """Back the books up and restore them; answers the verdicts there, and every violation."""
        revision = head_revision()
        self._path.unlink(missing_ok=True)

        def write() -> None:
            with app.app_context(), maintenance():
                begin_read()
                backups.write(db.session(), self._path, revision=revision, now=AT)
                db.session.rollback()

        def read() -> tuple[Verdicts, list[object]]:
            with self.app.app_context(), maintenance():
                begin_write()
                restores.restore(db.session(), self._path, revision=revision, now=datetime.now(UTC))
                found = [each.as_json() for each in checks.violations()]
                answer = figures(verdicts.of_proofs, organization_id), found
                db.session.rollback()
                return answer

        apart(write)
        return apart(read)


@pytest.fixture
def restored(house, tmp_path):
    """Books to restore backups into."""
    books = RestoredBooks(house, tmp_path)
    yield books
    with books.app.app_context():
        db.engine.dispose()
    house.store.drop("restored")


class Judge:
    """Asks everybody who says whether proofs hold, and counts what came of it."""

    def __init__(self, ada: Person, bank: Bank, restored: RestoredBooks) -> None:
        self.ada, self.bank, self.restored = ada, bank, restored
        self.seen: Counter[str] = Counter()

    def ask(self, *, restores: bool) -> None:
        """Hold that all answers are the same."""
        organization_id = self.ada.organization_id
        counted, computed, shown, few, every, drafts, waiting, accounts, found = self.bank.ask(
            lambda: (
                ProofOracle().verdicts(),
                figures(computed_verdicts.of_proofs, organization_id),
                figures(verdicts.of_proofs, organization_id),
                asked_as_many(organization_id, sys.maxsize),
                asked_as_many(organization_id, 1),
                drafts_beside_books(),
                unconfirmed(organization_id),
                {each.fa_id: each.broken for each in hub.accounts(organization_id)},
                [each.as_json() for check in proof_checks.CHECKS for each in check()],
            )
        )
        assert {proof_id: holds for proof_id, (holds, _, _) in computed.items()} == counted
        assert few == every
        assert all(among_all == by_posted == by_open for among_all, by_posted, by_open in drafts)
        assert waiting[0] == waiting[1]
        assert shown == computed
        assert found == []
        self._look_at_hub(computed, accounts)
        self._look_at_records(computed)
        if restores:
            assert self.restored.verdicts_of(organization_id, self.ada.app) == (computed, [])
            self.seen["restores"] += 1
        broken = sum(not holds for holds, _, _ in computed.values())
        self.seen.update(
            acts=1, drafts=len(drafts), proofs=len(computed), broken=broken, states=bool(computed)
        )

    def _look_at_hub(self, computed: Verdicts, recorded: dict[int, Any]) -> None:
        proofs = self.bank.ask(
            lambda: [(each.id, each.feed_account_id, each.statement_date) for each in standing()]
        )
        for account in self.ada.get("/api/reconciliations/accounts").json["accounts"]:
            ours = sorted((day, proof_id) for proof_id, fa_id, day in proofs if fa_id == account["faId"])
            broken = [proof_id for _, proof_id in ours if not computed[proof_id][0]]
            named, anchor = account["brokenProof"], account["anchor"]
            assert (named and named["id"]) == (broken[0] if broken else None)
            assert (anchor and anchor["id"]) == (ours[-1][1] if ours else None)
            if named:
                now = recorded[account["faId"]]
                assert (False, now.cleared_now.minor, now.off_by.minor) == computed[broken[0]]
            needs = account["draft"] or account["unreconciledCount"] or named
            assert account["status"] == ("never" if not anchor else "needs" if needs else "reconciled")
            if anchor:
                assert anchor["holds"] == computed[anchor["id"]][0]

    def _look_at_records(self, computed: Verdicts) -> None:
        """Hold that each proof says the same of itself, also saved to a file."""
        records = [self.ada.get(f"/api/reconciliations/{each}").json["reconciliation"] for each in computed]
        for record in records:
            holds = computed[record["id"]][0]
            assert (record["holds"], record["brokenBy"] is None) == (holds, holds)
            assert [each["repair"] for each in record["history"]].count(None) == (not holds)
        assert list(proof_findings.findings(records)) == []
        noted = {(each.reconciliation_id, each.code) for each in proof_findings.notes(records)}
        assert noted == {(each, "broken") for each, (holds, _, _) in computed.items() if not holds}


def walk(prover: Prover, judge: Judge, chance: Random, acts: int, restore_every: int) -> None:
    for number in range(1, acts + 1):
        planned = {RULED: "run_rule", RULED + UNDONE_AFTER: "undo_run"}
        name = planned.get(number % RULE_EVERY) or chance.choice((*PROVERS_ACTS, "revalue"))
        if name == "revalue":
            revalue(prover, judge, chance)
        else:
            prover.act(name, chance)
        try:
            judge.ask(restores=number % restore_every == 0)
        except AssertionError as error:
            error.add_note("\n".join(["The acts, of which the last led to it:", *prover.told]))
            raise


def revalue(prover: Prover, judge: Judge, chance: Random) -> None:
    """Revalue as of the end of a month; a refusal is as legal as anywhere."""
    day = chance.choice((date(2026, 2, 28), date(2026, 3, 31)))
    try:
        judge.bank.ask(lambda: revaluations.revalue(day, actor=judge.ada.actor, now=AT))
    except LedgerError as refusal:
        prover.told.append(f"revalue {day} -> {refusal}")
    else:
        prover.told.append(f"revalue {day}")


@pytest.fixture
def begin(house, ada, bank):
    """Make the books with which every walk begins, as often as one likes: each account has two proofs."""
    first = Prover(asking(ada), Known.equip(bank))
    for fa_id, currency in first.known.feeds.items():
        for day in (3, 8):
            lines = [
                line(f"{currency} {day} {amount}", amount, f"2026-03-{day + place:02}", currency=currency)
                for place, amount in enumerate(("100.00", "-40.00"))
            ]
            push(first, fa_id, added=lines)
            prove_account(first, fa_id, f"2026-03-{day + 2:02}")
    house.leave()
    house.store.copy("books", "seeded")
    known = first.known

    def begin() -> Prover:
        house.leave()
        house.store.copy("seeded", "books")
        return Prover(
            asking(ada),
            replace(
                known,
                lines=[*known.lines],
                entries=[*known.entries],
                numbers=count(100),
                imports=[],
                said={fa_id: [*names] for fa_id, names in known.said.items()},
                stated={},
            ),
        )

    yield begin
    house.leave()
    house.store.drop("seeded")


@pytest.mark.rare
def test_after_every_act_all_answers_about_proofs_are_the_same(
    turn, begin, ada, bank, restored, rounds, figure
):
    judge, done, ruled = Judge(ada, bank, restored), Counter(), Counter()
    for number in range(rounds(QUICK_WALKS, WALKS)):
        prover = begin()
        chance = Random(f"{turn} {number}")  # noqa: S311  (the same ones every time)
        walk(prover, judge, chance, rounds(QUICK_ACTS, ACTS), rounds(QUICK_RESTORE, 1))
        done.update(prover.counts)
        ruled.update(prover.ruled)
    assert judge.seen["broken"]
    assert all(ruled[each] for each in ("lines that a run changed", "fields that an undo restored"))
    refused = sum(times for (_, status), times in done.items() if status not in (200, 201))
    figure(
        "P1",
        f"{judge.seen['acts']} acts ({done.total()} writes, {refused} refused), {judge.seen['restores']} restores:"
        f" 0 differences in {judge.seen['proofs']} verdicts, {judge.seen['broken']} of them on broken proofs,"
        f" and beside {judge.seen['drafts']} drafts;"
        f" runs of rules changed {ruled['lines that a run changed']} lines, undoing them restored"
        f" {ruled['fields that an undo restored']} fields",
    )


def test_a_record_that_is_not_what_the_books_give_is_noticed(begin, ada, bank, restored):
    """The questions of the walk would find a stale verdict."""
    prover, judge = begin(), Judge(ada, bank, restored)
    line = next(each for each in ada.get("/api/transactions?limit=200").json["transactions"])
    prover.send("POST", f"journal-entries/{line['journalEntryId']}/void", {"reason": "Wrong"})
    judge.ask(restores=False)
    assert judge.seen["broken"]
    bank.ask(lambda: db.session.execute(sa.delete(ProofBreak)))
    with pytest.raises(AssertionError):
        judge.ask(restores=False)
