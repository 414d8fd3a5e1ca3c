"""`tieout export`: the whole book on standard output."""

from tests.fixtures.helpers import witnesses


def test_the_book_is_written_to_standard_output(command, ada, bank):
    ada.post(f"/api/transactions/{bank.send('2026-03-02', '-5.00', 'Train')}/confirm")
    result = command("export", "beancount", "--organization", ada.organization_id)
    assert result.exit_code == 0
    assert witnesses.of_beancount(result.stdout)["Assets:0-Main-account", "EUR"] == witnesses.Decimal("-5.00")


def test_an_unknown_format_is_wrong_use(command, ada):
    assert command("export", "xls", "--organization", ada.organization_id).exit_code == 2
