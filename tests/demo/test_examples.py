"""The commands of the documentation, run as they stand against the demo's books: they work, or say what to put in."""

import re
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.fixtures.people import apart
from webapp.database.sessions import begin_write, db
from webapp.database.tenancy import maintenance
from webapp.models import Membership
from webapp.services.access import sessions, tokens
from webapp.services.audit.act import Actor


@dataclass(frozen=True)
class Command:
    """An example as a shell would run it, and the comments above it."""

    said: str
    words: list[str]

    @property
    def method(self):
        return self.after("-X") or "GET"

    @property
    def path(self):
        return self.words[-1].removeprefix("$BASE")

    @property
    def body(self):
        return self.after("-d")

    @property
    def wants(self):
        """What has to be put in."""
        return "# Put " in self.said

    @property
    def is_for_person(self):
        return "# A person does this" in self.said

    def after(self, option):
        return self.words[self.words.index(option) + 1] if option in self.words else None


@pytest.fixture
def mara(app, demo_books):
    """The owner of the demo, behind a key that may do everything, and signed in."""

    def make():
        with app.app_context(), maintenance():
            begin_write()
            membership, now = db.session.scalars(sa.select(Membership)).one(), datetime.now(UTC)
            actor = Actor(
                membership.organization_id, "PERSON", membership.user_id, "Mara", membership.user_id
            )
            _, text = tokens.create(membership, actor=actor, now=now, name="Examples")
            cookie = sessions.open_session(membership.user_id, now=now)
            db.session.commit()
            return text, cookie

    text, cookie = apart(make)
    signed_in = app.test_client()
    signed_in.set_cookie("tieout", cookie)

    def ask(command, path):
        body = command.body
        options = {"data": body.encode(), "content_type": "application/json"} if body is not None else {}
        by_session, by_key = {"Sec-Fetch-Site": "same-origin"}, {"Authorization": f"Bearer {text}"}
        headers = by_session if command.is_for_person else by_key
        client = signed_in if command.is_for_person else app.test_client(use_cookies=False)
        return apart(client.open, path, method=command.method, headers=headers, **options)

    return ask


def commands_of(areas):
    for text in areas:
        for block in text.split("\n```\n")[1::2]:
            *said, command = block.splitlines()
            yield Command("\n".join(said), shlex.split(command))


def filled(mara, command):
    """Put an id of the demo in the place of the one that an address names, from the list above it; None without any."""
    above, _, name = command.path.partition("/{")
    listed = mara(Command("", ["curl", "$BASE"]), above)
    records = next((each for each in (listed.json or {}).values() if isinstance(each, list)), [])
    wanted = name.partition("}")[0]
    key = "id" if records and wanted not in records[0] else wanted
    ids = [each[key] for each in records if isinstance(each, dict) and key in each]
    return re.sub(r"{\w+}", str(ids[0]), command.path) if ids else None


def test_every_command_works_in_the_demo_or_says_what_to_put_in(mara):
    read = Command("", ["curl", "$BASE"])
    index = mara(read, "/api/docs.md").text
    pages = re.findall(r"^### .*: (/api/docs/[a-z-]+\.md)$", index, re.MULTILINE)
    found = list(commands_of([mara(read, each).text for each in pages]))
    asked, told = 0, []
    for command in found:
        path = command.path
        if command.wants:
            path = filled(mara, command) if command.method == "GET" and path.count("{") == 1 else None
        elif command.method != "GET":
            path += "&dryRun=true" if "?" in path else "?dryRun=true"
        if path is None:
            continue
        answer = mara(command, path)
        if answer.status_code == 422 and "dryRun" in answer.json["fields"]:
            answer = mara(command, command.path)
        asked += 1
        if answer.status_code >= 300:
            told.append((command.method, path, answer.status_code, answer.text[:200], command.body))
    assert len(found) > 140
    assert told == []
    assert asked > 70
    of_books = [
        each for each in found if each.method != "GET" and re.search(r'"\w*[iI]ds?": [\[\d]', each.body or "")
    ]
    assert len(of_books) > 15
    assert [each.path for each in of_books if not each.wants] == []
