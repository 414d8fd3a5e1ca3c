"""Mail: sent by the worker where an operator wants it, in the language of its reader, with nothing of the books."""

import email.policy
import logging
import re
import socketserver
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.parser import BytesParser
from threading import Event

import pytest
import sqlalchemy as sa

from tests.fixtures.people import apart
from webapp.commands.worker import JobRunner
from webapp.config import Settings, UnsafeSettingError
from webapp.database.sessions import db
from webapp.models import ActionRequest, ApiToken, BankConnection, Invitation, Job, Secret, SignInStep, User
from webapp.services.access.letters import LETTER
from webapp.services.operating import diagnosis, mail

PUBLIC, PASSWORD = "https://books.example.org", "the mail server's"
LINK = re.compile(r"https://\S+")
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class Post(socketserver.ThreadingTCPServer):
    """A mail server on this machine that takes letters, or answers `reply` to the next recipients."""

    daemon_threads, allow_reuse_address = True, True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Clerk)
        self.letters, self.commands, self.replies = [], [], []


class Clerk(socketserver.StreamRequestHandler):
    """Speaks as much of SMTP as a client needs (RFC 5321)."""

    def handle(self):
        self.say("220 post.example")
        for line in self.rfile:
            word = line.decode().strip()
            self.server.commands.append(word)
            verb = word.split(" ")[0].upper()
            if verb == "EHLO":
                self.say("250-post.example", "250 AUTH PLAIN")
            elif verb == "AUTH":
                self.say("235 Come in")
            elif verb == "RCPT" and self.server.replies:
                self.say(f"{self.server.replies.pop(0)} No")
            elif verb == "DATA":
                self.say("354 Go on")
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.letters.append(b"".join(lines))
                self.say("250 Taken")
            else:
                self.say("221 Bye" if verb == "QUIT" else "250 Fine")

    def say(self, *lines):
        self.wfile.write("".join(f"{each}\r\n" for each in lines).encode())


@pytest.fixture
def post(app, monkeypatch):
    found = Post()
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    url = f"smtp://tieout:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{found.server_address[1]}"
    settings = replace(app.config["SETTINGS"], smtp_url=url, public_url=PUBLIC)
    monkeypatch.setitem(app.config, "SETTINGS", settings)
    yield found
    found.shutdown()
    thread.join()
    found.server_close()


@pytest.fixture
def work(app, bank):
    """Let the worker do what is due, after its plan; what waits for later is due too, unless `now_only`."""

    def done(*, now_only=False):
        if not now_only:
            bank.ask(lambda: db.session.execute(sa.update(Job).values(run_at=LONG_AGO)))
        with app.app_context():
            runner = JobRunner(app, Event())
            runner.plan()
            db.session.remove()
            while runner.work():
                db.session.remove()

    return done


def read(post):
    parser = BytesParser(policy=email.policy.default)
    return [parser.parsebytes(each) for each in post.letters]


def invite(person, address="new@example.com"):
    form = {"name": "Somebody Secret", "email": address, "role": "viewer"}
    return person.browser().post("/settings/members", data=form).text


def propose(ben, line):
    answer = ben.with_scopes("read", "propose").post(f"/api/transactions/{line}/confirm")
    assert answer.status_code == 202, answer.json


def speaks(bank, person, language):
    bank.ask(lambda: setattr(db.session.get_one(User, person.user_id), "language", language))


def test_an_invitation_comes_by_mail_and_its_link_works_once(post, work, ada, app, bank):
    page = invite(ada)
    assert "It is sent by mail" in page
    for _ in range(2):
        work()
    (letter,) = read(post)
    assert (letter["To"], letter["From"]) == ("new@example.com", "tieout@books.example.org")
    assert letter["Subject"] == "An invitation to books at books.example.org"
    path = LINK.search(letter.get_content())[0].removeprefix(PUBLIC)
    assert path in page
    headers = {"Sec-Fetch-Site": "same-origin"}
    joined = [
        apart(app.test_client().post, path, data={"password": "a new one of hers"}, headers=headers)
        for _ in range(2)
    ]
    assert [each.status_code for each in joined] == [303, 404]
    assert bank.ask(lambda: db.session.scalars(sa.select(Secret)).all()) == []


def test_a_letter_has_nothing_of_the_books_and_its_secret_is_nowhere_else(post, work, ada, bank, caplog):
    caplog.set_level(logging.DEBUG)
    invite(ada)
    kept = bank.ask(lambda: [each.ciphertext for each in db.session.scalars(sa.select(Secret))])
    post.replies = [451]
    work()
    work()
    (letter,) = read(post)
    text = letter.get_content()
    for private in ("Lantern", "Ada", "Secret", "viewer", "new@example.com"):
        assert private not in text + letter["Subject"]
    secret = LINK.search(text)[0].rpartition("/")[2]
    assert len(kept) == 1
    assert secret.encode() not in kept[0]
    rows = bank.ask(
        lambda: [(each.subject, each.error, each.occurrence) for each in db.session.scalars(sa.select(Job))]
    )
    for place in (str(rows), caplog.text, ada.get("/api/events?include=body&limit=200").text):
        assert secret not in place
        assert PASSWORD not in place


@pytest.mark.parametrize(("end", "form"), [("withdraw", {}), ("link", {})])
def test_a_link_that_ended_before_it_was_sent_is_not_sent(post, work, ada, bank, end, form):
    page = invite(ada)
    invitation_id = bank.ask(lambda: db.session.scalar(sa.select(Invitation.id)))
    again = ada.browser().post(f"/settings/invitations/{invitation_id}/{end}", data=form).text
    work()
    links = [LINK.search(each.get_content())[0].removeprefix(PUBLIC) for each in read(post)]
    assert not any(each in page for each in links)
    assert len(links) == (end == "link")
    assert all(each in again for each in links)


def test_those_who_decide_are_told_of_proposals_at_most_once_an_hour(post, work, ada, ben, cleo, bank):
    speaks(bank, ben, "de")
    first, second, third = bank.send_many([("2026-03-02", "-1.00", "Secret tea")] * 3)
    propose(ben, first)
    propose(ben, second)
    work(now_only=True)
    letters = {each["To"]: each for each in read(post)}
    assert set(letters) == {ada.email, ben.email}
    assert letters[ada.email]["Subject"] == "A proposal waits at books.example.org"
    german = letters[ben.email]
    assert (german["Content-Language"], "Vorschlag" in german["Subject"]) == ("de", True)
    assert f"{PUBLIC}/b/{ben.organization_id}/proposals" in german.get_content()
    assert not any("tea" in each.get_content() for each in letters.values())
    propose(ben, third)
    work(now_only=True)
    assert len(post.letters) == 2
    waiting = bank.ask(lambda: db.session.scalars(sa.select(Job.run_at).where(Job.state == "WAITING")).all())
    assert all(each > datetime.now(UTC) + timedelta(minutes=58) for each in waiting)
    work()
    assert len(post.letters) == 4


def test_a_consent_that_ends_is_told_once(post, work, ada, bank):
    soon = datetime.now(UTC) + timedelta(days=3)
    key = ada.with_scopes("read")
    facts = {"uid": "a" * 32, "provider": "simplefin", "name": "Bank", "status": "ACTIVE", "settings": {}}
    bank.ask(
        lambda: (
            db.session.execute(
                sa.update(ApiToken)
                .where(ApiToken.id == key.token_id)
                .values(client_id="https://claude.ai/x", expires_at=soon)
            ),
            db.session.add(
                BankConnection(
                    organization_id=ada.organization_id, consent_ends_at=soon, created_at=soon, **facts
                )
            ),
        )
    )
    for _ in range(3):
        work()
    for each in read(post):
        path = LINK.search(each.get_content())[0].removeprefix(PUBLIC)
        assert ada.browser().get(path).status_code == 200
    assert {each["Subject"] for each in read(post)} == {
        "A connection ends at books.example.org",
        "A bank needs your consent at books.example.org",
    }
    assert [each["To"] for each in read(post)] == [ada.email] * 2


def link_of(post):
    return LINK.search(read(post)[-1].get_content())[0].removeprefix(PUBLIC)


@pytest.fixture
def visit(app):
    """Ask as somebody who is not signed in, by default with a new browser; a form makes it a post."""

    def asked(path, client=None, **form):
        client, headers = client or app.test_client(), {"Sec-Fetch-Site": "same-origin"}
        if form:
            return apart(client.post, path, data=form, headers=headers)
        return apart(client.get, path, headers=headers)

    return asked


def test_who_forgot_a_password_chooses_another_one_by_mail_and_is_asked_for_the_second_factor(
    post, work, ben, bank, visit
):
    browser = ben.browser()
    forgotten = "/sign-in/forgotten"
    assert forgotten in visit("/sign-in").text
    nobody, first, _ = (
        visit(forgotten, email=each) for each in ("x@example.com", ben.email.upper(), ben.email)
    )
    assert (nobody.status_code, nobody.text) == (first.status_code, first.text)
    work()
    (letter,) = read(post)
    assert (letter["To"], letter["Subject"]) == (ben.email, "Another password at books.example.org")
    path = link_of(post)
    assert ben.email in visit(path).text
    assert visit(path, password="short").status_code == 422
    assert visit(path.replace("reset", "address"), password="a new one of his").status_code == 404
    assert browser.get("/").status_code == 200
    done = visit(path, password="a new one of his")
    (cookie,) = done.headers.getlist("Set-Cookie")
    assert (done.status_code, cookie.partition("=")[0]) == (200, "tieout-browser")
    assert [visit(path).status_code, visit(path, password="another new one").status_code] == [404, 404]
    assert browser.get("/").status_code in {302, 303, 401}
    tried = [visit("/sign-in", email=ben.email, password=each) for each in (ben.password, "a new one of his")]
    assert [each.status_code for each in tried] == [401, 303]
    found = sa.select(ActionRequest.title).where(ActionRequest.kind == "change_password")
    assert bank.ask(lambda: db.session.scalars(found).all()) == ["Changed the password of Ben"]
    assert bank.ask(lambda: db.session.scalars(sa.select(Secret)).all()) == []


def test_who_opens_the_link_does_not_wait_for_strangers_who_guess(post, work, app, ben, visit):
    strangers, own = app.test_client(), app.test_client()
    new = {"email": ben.email, "password": "a new one of his"}
    guessed = [visit("/sign-in", strangers, **new).status_code for _ in range(8)]
    assert guessed == [401] * 7 + [429]
    assert visit("/sign-in", own, email=ben.email, password=ben.password).status_code == 429
    assert visit("/sign-in/forgotten", own, email=ben.email).status_code == 200
    work()
    assert visit(link_of(post), own, password=new["password"]).status_code == 200
    assert [visit("/sign-in", each, **new).status_code for each in (strangers, own)] == [429, 303]


def test_links_for_a_password_are_as_few_as_tries_and_end_after_an_hour(post, work, ben, bank, visit):
    answers = [visit("/sign-in/forgotten", email=ben.email).status_code for _ in range(8)]
    assert answers == [200] * 7 + [429]
    work()
    assert len(post.letters) == 1
    bank.ask(lambda: db.session.execute(sa.update(SignInStep).values(expires_at=LONG_AGO)))
    assert visit(link_of(post), password="a new one of his").status_code == 404


def test_a_new_address_counts_when_the_link_that_is_sent_there_is_opened(post, work, ada, ben, bank, visit):
    def changed(email):
        form = {"ownName": "Benjamin", "email": email, "current": ben.password}
        return ben.browser().post("/settings/sign-in/person", data=form)

    assert changed(ada.email).status_code == 409
    assert changed("benjamin@example.com").location.endswith("done=address")
    person = bank.ask(lambda: db.session.get_one(User, ben.user_id))
    assert (person.name, person.email) == ("Benjamin", ben.email)
    work()
    (letter,) = read(post)
    assert letter["To"] == "benjamin@example.com"
    path = link_of(post)
    assert "benjamin@example.com" in visit(path).text
    assert [visit(path, yes="1").status_code for _ in range(2)] == [200, 404]
    assert bank.ask(lambda: db.session.get_one(User, ben.user_id).email) == "benjamin@example.com"
    trail = ada.get("/api/events?include=body&limit=200").text
    assert ben.email in trail


def test_a_person_chooses_which_letters_come(post, work, ada, ben, line):
    page = ben.browser()
    assert "A proposal waits for your decision" in page.get("/settings/sign-in").text
    form = {"letters": ["CONNECTION_ENDS", "BANK_ENDS"]}
    assert page.post("/settings/sign-in/letters", data=form).status_code == 303
    propose(ben, line)
    work()
    assert [each["To"] for each in read(post)] == [ada.email]
    assert page.post("/settings/sign-in/letters", data={"letters": "INVITATION"}).status_code == 422


def test_nobody_who_left_is_told(post, work, ada, ben, line):
    propose(ben, line)
    assert ada.browser().post(f"/settings/members/{ben.user_id}/remove").status_code == 303
    work()
    assert [each["To"] for each in read(post)] == [ada.email]


def test_a_letter_is_tried_again_under_the_same_id_and_given_up_where_it_is_refused(post, work, ada, bank):
    invite(ada)
    post.replies = [451]
    work()
    job = bank.ask(lambda: db.session.scalars(sa.select(Job).where(Job.kind == LETTER)).one())
    assert (job.state, job.error) == ("WAITING", "127.0.0.1 answers 451.")
    work()
    assert len(post.letters) == 1
    invite(ada, "gone@example.com")
    post.replies = [550]
    work()
    failed = bank.ask(lambda: db.session.scalars(sa.select(Job).where(Job.state == "FAILED")).all())
    assert [each.error for each in failed] == ["127.0.0.1 answers 550."]
    assert len(post.letters) == 1
    assert "127.0.0.1 answers 550." in ada.browser().get("/settings/automatic").text


def test_mail_is_off_at_first(ada, ben, line, bank, visit):
    assert "/forgotten" not in visit("/sign-in").text
    gone = ("forgotten", "reset/x", "address/x")
    assert [visit(f"/sign-in/{each}").status_code for each in gone] == [404] * 3
    assert "Send me a letter" not in ada.browser().get("/settings/sign-in").text
    assert "by mail" not in invite(ada)
    propose(ben, line)
    kinds = bank.ask(lambda: db.session.scalars(sa.select(Job.kind)).all())
    assert (kinds, bank.ask(lambda: db.session.scalars(sa.select(Secret)).all())) == ([], [])


def test_a_server_elsewhere_gets_no_password_without_tls(post, app, monkeypatch):
    monkeypatch.setattr(mail, "is_of_this_machine", lambda _server: False)
    with pytest.raises(mail.MailFailedError):
        mail.server_of(app.config["SETTINGS"].smtp_url).greet()
    assert not any(each.startswith(("AUTH", "MAIL")) for each in post.commands)


def test_the_doctor_signs_in(post, app):
    settings = app.config["SETTINGS"]
    assert list(diagnosis.mail_symptoms(settings)) == []
    assert any(each.startswith("AUTH PLAIN") for each in post.commands)
    away = replace(settings, smtp_url="smtp://127.0.0.1:9")
    (found,) = diagnosis.mail_symptoms(away)
    assert (found.code, "127.0.0.1 takes no letter" in found.sentence) == ("mail", True)
    assert list(diagnosis.mail_symptoms(replace(settings, smtp_url=""))) == []


@pytest.mark.parametrize(
    ("environment", "hint"),
    [
        ({"SMTP_URL": "mail.example.org"}, "must be like"),
        ({"SMTP_URL": f"smtp://ada:{PASSWORD}@mail.example:x"}, "must be like"),
        ({"SMTP_URL": "smtp://mail.example", "PUBLIC_URL": ""}, "needs PUBLIC_URL"),
        ({"SMTP_URL": "smtp://mail.example", "OUTBOUND": "none"}, "OUTBOUND=none"),
        ({"SMTP_URL": "smtp://mail.example", "MAIL_FROM": "a@b.example, c@d.example"}, "MAIL_FROM"),
    ],
)
def test_settings_of_mail_that_do_not_fit_stop_the_start(tmp_path, environment, hint):
    usual = {"INSTANCE_PATH": str(tmp_path / "instance"), "PUBLIC_URL": PUBLIC}
    with pytest.raises(UnsafeSettingError, match=hint) as refused:
        Settings.from_environment(usual | environment)
    assert PASSWORD not in str(refused.value)
