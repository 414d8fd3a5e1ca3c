"""Taxes: the code of a posting is there, and the boxes of a return are those of the postings that it stamped."""

from collections import Counter
from collections.abc import Iterable

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import Posting, TaxCode, TaxReturn, TaxStamp, refers_to
from webapp.queries.checks.violations import Violation, entry, found
from webapp.queries.tax import packs


def unknown_codes() -> Iterable[Violation]:
    """Find postings whose tax code is not there, which no key of the database refuses."""
    missing = ~sa.exists().where(refers_to(Posting.tax_code_id, TaxCode))
    return found(
        "tax_code_unknown",
        sa.select(Posting.organization_id, Posting.journal_entry_id.label("entry_id"))
        .where(Posting.tax_code_id.is_not(None), missing)
        .distinct(),
        lambda row: f"Entry {row.entry_id} has a tax code that is not there.",
        entry,
    )


def differing_returns() -> Iterable[Violation]:
    """Find standing returns whose boxes are not what their stamped postings add up to."""
    statement = (
        sa.select(TaxStamp.organization_id, TaxStamp.return_id, Posting.boxes)
        .join(
            Posting,
            sa.and_(Posting.organization_id == TaxStamp.organization_id, Posting.id == TaxStamp.posting_id),
        )
        .join(TaxReturn, refers_to(TaxStamp.return_id, TaxReturn))
        .where(TaxReturn.status == "FILED")
    )
    sums: dict[tuple[str, int], Counter[tuple[str, str]]] = {}
    for organization_id, return_id, boxes in db.session.execute(statement):
        sums.setdefault((organization_id, return_id), Counter()).update(
            {(form, box): minor for form, box, minor in boxes or ()}
        )
    standing = sa.select(TaxReturn).where(TaxReturn.status == "FILED").order_by(TaxReturn.id)
    for filed in db.session.scalars(standing):
        stamped = sums.get((filed.organization_id, filed.id), Counter())
        is_of_form = {box: minor for (form, box), minor in stamped.items() if form == filed.form and minor}
        if is_of_form != _filed_figures(filed):
            yield Violation(
                "tax_return_differs",
                f"The {filed.form} return to {filed.ends_on} says other figures than its postings.",
                filed.organization_id,
                {"taxReturnId": filed.id},
            )


def _filed_figures(filed: TaxReturn) -> dict[str, int]:
    """Give the exact figures of a return, of a notice those of its rows; totals and what is nothing are left out."""
    figures = filed.figures["boxes"]
    if filed.is_notice:
        figures = [figure for late in filed.figures["late"] for figure in late[2]]
    totals = {each.box for each in packs.content(filed.form).form.boxes if each.terms is not None}
    said: Counter[str] = Counter()
    for box, _, _, exact in figures:
        said[box] += 0 if box in totals else exact
    return {box: minor for box, minor in said.items() if minor}


CHECKS = (unknown_codes, differing_returns)
