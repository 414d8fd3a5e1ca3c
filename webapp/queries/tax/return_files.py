"""Tax returns as files: a table of boxes with the postings behind them, and the JSON of the authority's interface."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.exporters.csv_files import Cell, Table
from webapp.ledger.errors import UnprocessableError
from webapp.models import TaxCode, TaxReturn
from webapp.queries.tax import packs, stamps
from webapp.queries.tax.figures import LateFigure
from webapp.queries.tax.returns import NOTICE, OpenReturn, ReturnRecord
from webapp.queries.tax.stamps import BoxedPosting

HEADS: Final = ("Part", "Box", "Tax point", "Entry", "Text", "Account", "Tax code", "Amount")
POSTINGS_AT_ONCE: Final = 1000


class NoJsonError(UnprocessableError):
    """The authority of this form takes no JSON; choose CSV."""

    code = "no_json"


def of_open(organization_id: str, found: OpenReturn) -> Table:
    """Write an open return: each box with the postings behind it, and what is late."""
    made = found.record
    return _table(organization_id, made, stamps.described(organization_id, made.form, found.postings))


def of_filed(filed: TaxReturn, made: ReturnRecord) -> Table:
    """Write a filed return in the same way."""
    return _table(filed.organization_id, made, _postings(filed))


def _postings(filed: TaxReturn) -> Iterator[BoxedPosting]:
    after = None
    while True:
        page = stamps.of_return(filed, boxes=(), after=after, limit=POSTINGS_AT_ONCE)
        yield from page.items
        if page.next_key is None:
            return
        after = page.next_key


def _table(organization_id: str, made: ReturnRecord, postings: Iterable[BoxedPosting]) -> Table:
    statement = sa.select(TaxCode.id, TaxCode.code).where(TaxCode.organization_id == organization_id)
    codes = {row.id: row.code for row in db.session.execute(statement)}
    behind = _behind(postings, codes)
    rows: list[Sequence[Cell]] = []
    for each in made.boxes:
        rows += [
            ("Box", each.box, None, None, each.label, None, None, each.amount),
            *behind.pop(each.box, ()),
        ]
    for box, lines in behind.items() if made.kind == NOTICE else ():
        rows += [("Box", box, None, None, None, None, None, None), *lines]
    rows += [*_apart("Late", made.late), *_apart("Out of time", made.out_of_time)]
    rows.append(("Payable", None, made.to, None, None, None, None, made.payable))
    return Table(f"{made.form} {made.from_} to {made.to}", HEADS, rows)


def _behind(
    postings: Iterable[BoxedPosting], codes: Mapping[int | None, str]
) -> dict[str, list[Sequence[Cell]]]:
    """Give the rows of what each box adds up."""
    found: dict[str, list[Sequence[Cell]]] = {}
    for each in postings:
        facts = (each.tax_point, each.journal_entry_id, each.description, each.account_name)
        for box in each.boxes:
            row = ("Posting", box.box, *facts, codes.get(each.tax_code_id), box.amount)
            found.setdefault(box.box, []).append(row)
    return found


def _apart(part: str, rows: Iterable[LateFigure]) -> Iterator[Sequence[Cell]]:
    for row in rows:
        for each in row.boxes:
            said = row.late_as.replace("_", " ").capitalize() if row.late_as else None
            yield (part, each.box, row.tax_point, row.journal_entry_id, said, None, None, each.exact)


def json_of(made: ReturnRecord) -> str:
    """Write the boxes of a return as the authority's interface has them, or raise NoJsonError.

    For the United Kingdom these are the keys of a VAT return of Making Tax Digital, version 1.0, without `periodKey`:
    HMRC gives that with the obligation.
    """
    of_form = {each.box: each for each in packs.content(made.form).form.boxes if each.key}
    figures = [each for each in made.boxes if each.box in of_form]
    if not figures:
        raise NoJsonError
    said = {str(of_form[each.box].key): of_form[each.box].text_of(each.amount) for each in figures}
    said["finalised"] = "true" if made.status == "FILED" else "false"
    return "{\n" + ",\n".join(f'  "{key}": {text}' for key, text in said.items()) + "\n}\n"
