"""Periods of installed forms, and the returns that stand for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.periods import Period
from webapp.ledger.tax.forms import period_of
from webapp.models import TaxPack, TaxReturn
from webapp.queries.tax import packs


class NotInstalledError(UnprocessableError):
    """The books have not installed this form; install its pack first."""

    code = "not_installed"


class NotAPeriodError(UnprocessableError):
    """A return is for one period, after those that are filed."""

    code = "not_a_period"


def newest(organization_id: str, form: str) -> TaxReturn | None:
    """Find the newest standing return of a form, or None; a notice of errors is none."""
    return next(iter(standing(organization_id, form)), None)


def standing(organization_id: str, form: str) -> Sequence[TaxReturn]:
    """List the standing returns of a form, the newest first."""
    statement = sa.select(TaxReturn).where(
        TaxReturn.organization_id == organization_id,
        TaxReturn.form == form,
        TaxReturn.status == "FILED",
        ~TaxReturn.is_notice,
    )
    return db.session.scalars(statement.order_by(TaxReturn.ends_on.desc())).all()


def last_filed(organization_id: str, form: str) -> TaxReturn | None:
    """Find what was filed last of a form and stands, a return or a notice."""
    statement = sa.select(TaxReturn).where(
        TaxReturn.organization_id == organization_id, TaxReturn.form == form, TaxReturn.status == "FILED"
    )
    return db.session.scalar(statement.order_by(TaxReturn.id.desc()).limit(1))


@dataclass(frozen=True, slots=True)
class Periods:
    """The periods of a form: those of its standing returns, the newest first, and else by the pack's frequency."""

    pack: TaxPack
    filed: Sequence[TaxReturn]

    def of(self, day: date) -> Period:
        """Return the period of a day."""
        for each in self.filed:
            if each.starts_on <= day <= each.ends_on:
                return Period(each.starts_on, each.ends_on)
        return period_of(day, self.pack.counted_from or self.pack.starts_on, self.pack.frequency)

    @property
    def first_open(self) -> date:
        """The first day that no return has."""
        return self.filed[0].ends_on + timedelta(days=1) if self.filed else self.pack.starts_on


@dataclass(frozen=True, slots=True)
class DueReturn:
    """A return that is not filed, and the day on which it is due."""

    form: str
    period: Period
    due_on: date


def due(organization_id: str, day: date) -> list[DueReturn]:
    """List the returns that are due by a day and not filed, of all installed forms."""
    found = []
    for pack in packs.all_installed(organization_id):
        form, own = packs.content(pack.name).form, Periods(pack, standing(organization_id, pack.name))
        period = own.of(own.first_open)
        while (due_on := form.due_on(period.last)) is not None and due_on <= day:
            found.append(DueReturn(pack.name, period, due_on))
            period = own.of(period.last + timedelta(days=1))
    return found


def periods_of(organization_id: str, form: str) -> Periods:
    """Find the periods of an installed form, or raise NotInstalledError."""
    pack = packs.installed(organization_id, form)
    if pack is None:
        raise NotInstalledError(fields={"form": [str(NotInstalledError.__doc__)]})
    return Periods(pack, standing(organization_id, form))
