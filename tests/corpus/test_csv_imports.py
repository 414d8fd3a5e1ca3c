"""Every CSV file of the corpus goes through the whole import by its mapping, and a second time adds nothing."""

import json

import pytest
from click.testing import CliRunner

from tests.corpus import manifest
from tests.corpus.test_ofx_imports import expected, told
from tests.fixtures.corpus import CORPUS
from webapp.cli import main
from webapp.ledger.currencies import canonical


@pytest.fixture
def answer_of(app, ada, tmp_path):
    """Run `tieout import` in Ada's books with a file of the corpus and its mapping; answers what it says."""

    def run(entry):
        mapping = tmp_path / "mapping.json"
        mapping.write_text(json.dumps(entry.mapping), encoding="utf-8")
        words = ["import", str(CORPUS / entry.path), "--organization", ada.organization_id, "--json"]
        with app.app_context():
            result = CliRunner().invoke(main, [*words, "--mapping", str(mapping)], catch_exceptions=False)
        return result.exit_code, json.loads(result.stdout)[0]

    return run


@pytest.mark.rare
@pytest.mark.parametrize("entry", manifest.entries("csv"), ids=lambda entry: entry.path)
def test_a_file_comes_in_as_the_manifest_says(entry, answer_of):
    days = {"opening_date": None, "closing_date": None}
    records = [days | record | {"currency": canonical(record["currency"])} for record in entry.accounts]
    for again in (False, True):
        status, answer = answer_of(entry)
        assert (status, answer["status"], answer["error"]) == (0, "IMPORTED", None)
        assert [told(account, again=again) for account in answer["accounts"]] == [*map(expected, records)]
        assert bool(answer["warnings"]) or entry.outcome != "no_transactions"
        assert not again or all(account["added"] == 0 for account in answer["accounts"])
