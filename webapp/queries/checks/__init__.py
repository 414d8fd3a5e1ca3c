"""Every invariant of the books: each check is a query that finds violations of one.

What could be wrong between organizations is asked of all at once. So are the books, where one database has them; books
that are spread over nodes are checked one organization at a time, each on the node where it is.
"""

import logging
from collections.abc import Callable, Iterator, Sequence

import sqlalchemy as sa

from webapp.database.sessions import db, scoped_session
from webapp.distribution.tables import is_distributed
from webapp.ledger.errors import LedgerError
from webapp.models import Organization
from webapp.queries.checks import (
    accounts,
    audit,
    bound_rows,
    entries,
    feed_lines,
    items,
    lines,
    locks,
    openings,
    organizations,
    proofs,
    stored,
    stored_files,
    sums,
    taxes,
    transfers,
    voids,
)
from webapp.queries.checks.violations import Check, Violation

log = logging.getLogger("tieout.checks")

# What values that no act writes make a check raise.
UNREADABLE = (LedgerError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
ACROSS: tuple[Check, ...] = (*stored.ACROSS, *organizations.CHECKS, *stored_files.ACROSS)
OF_BOOKS: tuple[Check, ...] = (
    *stored.CHECKS,
    *entries.CHECKS,
    *voids.CHECKS,
    *lines.CHECKS,
    *accounts.CHECKS,
    *feed_lines.CHECKS,
    *openings.CHECKS,
    *proofs.CHECKS,
    *sums.CHECKS,
    *transfers.CHECKS,
    *items.CHECKS,
    *taxes.CHECKS,
    *stored_files.CHECKS,
    *locks.CHECKS,
    *audit.CHECKS,
    *bound_rows.CHECKS,
)


def _to_nobody(_text: str) -> None:
    """Take the progress where nobody looks."""


def violations(show: Callable[[str], None] = _to_nobody) -> Iterator[Violation]:
    """List everything that is wrong; nothing where the books are sound. `show` takes the progress as a text."""
    if is_distributed(db.session.connection()):
        yield from _found(ACROSS, "", show)
        yield from of_each_organization(show)
    else:
        yield from _found((*ACROSS, *OF_BOOKS), "", show)


def of_each_organization(show: Callable[[str], None] = _to_nobody) -> Iterator[Violation]:
    """List what is wrong within the books of each organization, by questions that name it."""
    found = db.session.execute(sa.select(Organization.id, Organization.name).order_by(Organization.id)).all()
    for organization in found:
        with scoped_session(organization.id):
            yield from _found(OF_BOOKS, f" of {organization.name}", show)


def of_organization() -> Iterator[Violation]:
    """List what is wrong within the books that the session is scoped to."""
    yield from _found(OF_BOOKS, "", _to_nobody)


def _found(checks: Sequence[Check], where: str, show: Callable[[str], None]) -> Iterator[Violation]:
    for place, check in enumerate(checks, 1):
        area = check.__module__.rpartition(".")[2].replace("_", " ")
        show(f"check {place} of {len(checks)}{where}: {area}, {check.__name__.replace('_', ' ')}")
        try:
            yield from check()
        except UNREADABLE as error:
            # Somebody changed a row past the application; what the other checks find may say which.
            log.exception("The check %s could not read its rows", check.__name__)
            reason = str(error) or type(error).__name__
            yield Violation(
                "unreadable_rows",
                f"Some of the {area} cannot be read ({reason:.200}).",
                None,
                {"check": check.__name__},
            )
