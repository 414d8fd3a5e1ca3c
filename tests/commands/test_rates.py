"""`tieout fetch-rates` and `tieout revalue`."""

import json

import pytest

from tests.importers.test_reference_rates import DAILY_XML, HISTORY_CSV
from webapp.commands import rates
from webapp.services.operating import outbound
from webapp.services.operating.outbound import Gate


@pytest.fixture
def rates_file(tmp_path):
    path = tmp_path / "eurofxref.csv"
    path.write_bytes(HISTORY_CSV)
    return path


def test_a_file_of_rates_is_written_down(command, ada, rates_file):
    result = command(
        "fetch-rates", "--organization", ada.organization_id, "--file", str(rates_file), "--json"
    )
    assert (result.exit_code, json.loads(result.stdout)) == (
        0,
        {"days": 2, "lastDay": "2026-11-20", "changed": 3},
    )
    assert [(rate["day"], rate["currency"]) for rate in ada.get("/api/exchange-rates").json["rates"]] == [
        ("2026-11-20", "USD"),
        ("2026-11-20", "JPY"),
        ("2006-01-03", "USD"),
    ]


def test_the_same_file_again_changes_nothing(command, ada, rates_file):
    for _ in range(2):
        result = command("fetch-rates", "--organization", ada.organization_id, "--file", str(rates_file))
    assert result.stdout == "0 new rates, up to 20 Nov 2026.\n"


def test_the_banks_own_address_is_asked_by_the_gate(command, ada, monkeypatch):
    asked = []

    def get(gate, address, wanted, *, most_bytes, seconds):
        asked.append((address, wanted, gate.is_open, bool(seconds)))
        return DAILY_XML[:most_bytes]

    monkeypatch.setattr(Gate, "get", get)
    assert command("fetch-rates", "--organization", ada.organization_id).exit_code == 0
    assert command("fetch-rates", "--organization", ada.organization_id, "--history").exit_code == 0
    bank = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-"
    assert asked == [(f"{bank}{each}.xml", {rates.HOST}, True, True) for each in ("daily", "hist")]


def test_without_a_network_it_says_what_to_do(command, ada, monkeypatch):
    def fail(*_args, **_options):
        raise OSError("no route")

    monkeypatch.setattr(outbound.socket, "getaddrinfo", fail)
    result = command("fetch-rates", "--organization", ada.organization_id)
    assert result.exit_code == 1
    assert "give it with --file" in result.stderr


def test_a_file_without_rates_changes_nothing(command, ada, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("Nothing")
    result = command("fetch-rates", "--organization", ada.organization_id, "--file", str(path))
    assert result.exit_code == 1
    assert "no reference rates of the European Central Bank" in result.stderr


def test_balances_are_revalued(command, ada, bank):
    bank.quote("2026-03-02", "USD", "1.25")
    bank.quote("2026-03-31", "USD", "1")
    bank.open("Dollars", "USD")
    ada.post(f"/api/transactions/{bank.send('2026-03-02', '100.00')}/confirm")
    organization = ("--organization", ada.organization_id)
    result = command("revalue", *organization, "--as-of", "2026-03-31", "--json")
    first, second = json.loads(result.stdout)["journalEntryIds"]
    assert ada.get(f"/api/journal-entries/{first}").json["entry"]["effectiveAt"][:10] == "2026-03-31"
    assert ada.get(f"/api/journal-entries/{second}").json["entry"]["effectiveAt"][:10] == "2026-04-01"
    assert "All balances are up to date" in command("revalue", *organization, "--as-of", "2026-03-02").stdout
    refused = command("revalue", *organization, "--as-of", "2026-06-30")
    assert (refused.exit_code, "no exchange rate for USD" in refused.stderr) == (1, True)
