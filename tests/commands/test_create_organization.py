"""`tieout create-organization`: books with their first owner, whose password never stands on the command line."""

import json

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from webapp.models import Account, Membership, Organization, TaxPack, User
from webapp.services.access.users import verify_password

WORDS = ("create-organization", "Lighthouse", "--base-currency", "eur", "--email", "Eve@Example.com")
PASSWORD = "correct horse battery"


@pytest.mark.operates
def test_it_opens_books_with_their_owner(command, session):
    result = command(*WORDS, "--time-zone", "Asia/Tokyo", "--password-stdin", "--json", typed=f"{PASSWORD}\n")
    answer = json.loads(result.stdout)
    assert (result.exit_code, result.stderr) == (0, "")
    books = session.get_one(Organization, answer["organizationId"])
    assert (books.base_currency, books.time_zone) == ("EUR", "Asia/Tokyo")
    assert session.get_one(Membership, (answer["organizationId"], answer["userId"])).role == "owner"


@pytest.mark.rare
@pytest.mark.operates
def test_books_of_a_country_begin_with_its_currency_accounts_and_tax_return(command, session):
    words = ("create-organization", "Mill", "--email", "eve@example.com", "--country", "uk", "--json")
    answer = json.loads(command(*words).stdout)
    books = session.get_one(Organization, answer["organizationId"])
    (pack,) = session.scalars(sa.select(TaxPack).where(TaxPack.organization_id == books.id))
    names = session.scalars(sa.select(Account.name).where(Account.role == "tax_output")).all()
    assert names == ["VAT on sales"]
    assert (books.base_currency, pack.name, pack.frequency) == ("GBP", "uk-vat100", "QUARTERLY")
    assert (pack.starts_on.month % 3, pack.starts_on.day) == (1, 1)
    none = command("create-organization", "Mill", "--email", "eve@example.com")
    assert (none.exit_code, "--country" in none.stderr) == (2, True)
    before = len(session.scalars(sa.select(Organization)).all())
    other = command(*words, "--base-currency", "EUR")
    assert other.exit_code == 1
    assert len(session.scalars(sa.select(Organization)).all()) == before


@on_sqlite
@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (f"{PASSWORD}\n", PASSWORD),
        (f"{PASSWORD}\r\n", PASSWORD),
        (PASSWORD, PASSWORD),
        (f"{PASSWORD}\n\n", f"{PASSWORD}\n"),
        (f" {PASSWORD} \n", f" {PASSWORD} "),
    ],
    ids=["a line", "a line of Windows", "no line end", "two line ends", "spaces"],
)
def test_the_password_is_what_was_typed_less_one_line_end(command, session, typed, kept):
    assert command(*WORDS, "--password-stdin", typed=typed).exit_code == 0
    stored = session.scalar(sa.select(User.password_hash).where(User.email == "eve@example.com"))
    assert verify_password(stored, kept)


def test_an_owner_without_a_password_gets_a_link_on_standard_error(command):
    result = command(*WORDS, "--json")
    assert result.exit_code == 0
    assert set(json.loads(result.stdout)) == {"organizationId", "userId"}
    assert "One-time link: /join/" in result.stderr


@pytest.mark.parametrize(
    ("words", "typed", "said"),
    [
        ((*WORDS, "--password-stdin"), "short\n", "twelve characters"),
        (("create-organization", "X", "--base-currency", "XYZ", "--email", "e@example.com"), "", "XYZ"),
        (("create-organization", "X", "--base-currency", "EUR", "--email", "nobody"), "", "email address"),
    ],
    ids=["weak password", "no currency", "no address"],
)
def test_what_the_books_refuse_leaves_nothing_and_exits_with_1(command, session, words, typed, said):
    before = session.scalar(sa.select(sa.func.count()).select_from(Organization))
    session.rollback()
    result = command(*words, typed=typed)
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr
    assert session.scalar(sa.select(sa.func.count()).select_from(Organization)) == before


@pytest.mark.parametrize("missing", ["--base-currency", "--email"])
def test_wrong_use_exits_with_2(command, missing):
    at = WORDS.index(missing)
    result = command(*WORDS[:at], *WORDS[at + 2 :])
    assert (result.exit_code, result.stdout) == (2, "")
    assert missing in result.stderr
