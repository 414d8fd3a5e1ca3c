"""The guard of locked days: an act that moves a figure that a report of one shows needs a reason."""

from collections.abc import Callable, Collection, Iterable
from datetime import date

from webapp.database.sessions import db
from webapp.ledger.dimensions import Dimension
from webapp.ledger.errors import LedgerError
from webapp.queries.access import organizations
from webapp.queries.reports import locked_figures
from webapp.queries.reports.locked_figures import READ, Figures, Moved
from webapp.services.audit.act import Act


class LockedFiguresError(LedgerError):
    """This moves a figure of a locked day; say why in a note, as an owner may, or leave it."""

    code = "locked_figures"

    def __init__(self, found: Moved, *, has_reason: bool) -> None:
        """Name the report, its day, and the figure before and after."""
        figure = found.figure
        needed = (
            "Only who may change the settings says why." if has_reason else "Say why it moves, in a note."
        )
        super().__init__(
            f"{figure} would go from {found.before} to {found.after}, and its day is locked. {needed}",
            details={
                "report": figure.report,
                "day": figure.day.isoformat(),
                "figure": figure.label,
                "before": found.before,
                "after": found.after,
            },
        )


def watch_account(doing: Act, account_id: int, changed: Iterable[str]) -> None:
    """Compare the figures of locked days that an account has a part in, if what reports read of it changes."""
    reads = {read for name in changed if (read := READ["accounts"].get(name)) is not None}
    lock = _lock(doing)
    if reads and lock is not None:
        of = doing.actor.organization_id
        _begin(doing, lambda: locked_figures.of_account(of, lock, account_id, reads))


def watch_parts(doing: Act, by: Dimension, ids: Collection[int]) -> None:
    """Compare the figures of locked days of merchants, or projects, that are to count for others."""
    lock = _lock(doing)
    if ids and lock is not None:
        _begin(doing, lambda: locked_figures.of_parts(doing.actor.organization_id, lock, by, ids))


def watch_rates(doing: Act, changed: Collection[tuple[date, str]], current_for: int) -> None:
    """Compare what revaluations of locked days are off by when an act ends that changes rates of some days."""
    lock = _lock(doing)
    if lock is None or not changed or min(changed)[0] > lock:
        return
    of = doing.actor.organization_id
    before = locked_figures.revalued_at(of, lock, changed, current_for)
    if before is not None:
        _begin(doing, lambda: locked_figures.revalued_at(of, lock, changed, current_for) or {})


def _lock(doing: Act) -> date | None:
    return organizations.get(doing.actor.organization_id).lock_date


def _begin(doing: Act, read: Callable[[], Figures]) -> None:
    db.session.flush()
    before = read()
    if before:
        doing.figures = lambda: locked_figures.moved(before, read())


def check(doing: Act) -> None:
    """Refuse an act without a reason that moved a figure of a locked day; with one, say what it moved."""
    if doing.figures is None:
        return
    db.session.flush()
    found = doing.figures()
    if found is None:
        return
    has_reason = bool(doing.note.strip())
    if not has_reason or not doing.actor.is_admin:
        raise LockedFiguresError(found, has_reason=has_reason)
    sentence = f"{found.figure} goes from {found.before} to {found.after}, and its day is locked."
    doing.warn(LockedFiguresError.code, sentence)
    doing.after = {
        **(doing.after or {}),
        "lockedFigures": {"figure": str(found.figure), "before": found.before, "after": found.after},
    }
