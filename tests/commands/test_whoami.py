"""Who and where a shell is: `tieout --version`, `tieout whoami`, `tieout organizations`."""

import json

from webapp.config import version


def test_the_version_is_printed_where_there_are_no_books_yet(installation):
    result = installation("--version")
    assert (result.exit_code, result.stdout) == (0, f"tieout {version()}\n")


def test_whoami_names_the_books_and_no_password(command, ada, house):
    answer = json.loads(command("whoami", "--json").stdout)
    assert ada.organization_id in answer["organizations"]
    assert answer["instancePath"] == str(house.settings.instance_path)
    assert answer["actor"] == {"kind": "COMMAND", "name": "tieout"}
    words = command("whoami").stdout
    assert words.startswith(f"Tieout {version()} works on ")
    assert answer["database"] in words


def test_organizations_are_listed_with_their_owners(command, ada, dan):
    found = {each["id"]: each for each in json.loads(command("organizations", "--json").stdout)}
    assert {ada.organization_id, dan.organization_id} <= found.keys()
    assert ada.email in found[ada.organization_id]["owners"]
    assert dan.email not in found[ada.organization_id]["owners"]
    line = next(each for each in command("organizations").stdout.splitlines() if ada.organization_id in each)
    assert found[ada.organization_id]["name"] in line
    assert ada.email in line
