"""Help: a page for each task in plain words, and what to try in the demo."""

from dataclasses import dataclass

from flask import Blueprint, Response
from werkzeug.exceptions import NotFound

from webapp.web.access.auth import requires
from webapp.web.rendering.htmx import render

bp = Blueprint("help", __name__, url_prefix="/help")


@dataclass(frozen=True, slots=True)
class Task:
    """A task with a help page: the last part of its address, its title, and when people need it."""

    slug: str
    title: str
    summary: str


TASKS = {
    task.slug: task
    for task in (
        Task("moving-in", "Move in from another program", "Your books are elsewhere until now."),
        Task("import", "Bring in a bank's file", "You have a statement or an export from the bank."),
        Task("lines", "Work through bank lines", "Lines wait for an account and for your confirmation."),
        Task("reconcile", "Reconcile with a statement", "You prove that books and bank agree on a day."),
        Task("broken-proof", "Repair a broken proof", "The hub says that a proof is no longer valid."),
        Task("transfers", "Pair transfers", "Money moved between two of your own accounts."),
        Task("rules", "Let rules book lines", "The same kind of line comes again and again."),
        Task("inbox", "Bring in files of any kind", "You have papers or bank files, one or many."),
        Task("receipts", "Attach receipts and invoices", "A paper belongs to a payment."),
        Task("files", "Keep files as long as you must", "You want to know what is kept, and for how long."),
        Task("corrections", "Correct or void an entry", "A posted entry is wrong."),
        Task("approvals", "Decide what agents propose", "A program asks for something that needs you."),
        Task("currencies", "Keep foreign money", "An account has another currency than your books."),
        Task("month-end", "Finish a month", "A month is over, and you want to close it."),
        Task("lock", "Lock a period", "A month is reported and must not change."),
        Task("owed", "See who owes what", "You have open invoices, yours or your suppliers'."),
        Task("taxes", "Keep and file taxes", "You charge or reclaim value added tax."),
        Task("reports", "Read and print reports", "You want to know how the year went."),
    )
}


@bp.get("")
@requires("read")
def index() -> Response:
    """List the tasks with a help page."""
    return render("help/index.html", tasks=TASKS.values())


@bp.get("/what-to-try")
@requires("read")
def try_out() -> Response:
    """Show seven things to try in the demo's books."""
    return render("hub/try.html")


@bp.get("/<slug>")
@requires("read")
def show(slug: str) -> Response:
    """Show how one task is done."""
    if slug not in TASKS:
        raise NotFound
    return render(f"help/{slug.replace('-', '_')}.html", task=TASKS[slug])
