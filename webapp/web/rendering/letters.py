"""Letters as people read them: in their language, with a link and nothing else of the books."""

from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from hashlib import sha256
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from webapp.config import Settings
from webapp.ledger.notation.locales import LANGUAGES
from webapp.services.access.letters import (
    ADDRESS,
    BANK_ENDS,
    CONNECTION_ENDS,
    INVITATION,
    RESET,
    WAITING,
    Letter,
)
from webapp.web.rendering.languages import ENGLISH, catalogue, marked


class Wording(NamedTuple):
    """What a letter says about something: its subject, its text, and the path of its link."""

    subject: str
    text: str
    path: str


WORDINGS: Final = {
    INVITATION: Wording(
        marked("An invitation to books at %(host)s"),
        marked(
            "Somebody invites you into books at %(host)s. Open this link to see whose books these are. Then accept"
            " the invitation or ignore it. The link works once, and for a week."
        ),
        "/join/{secret}",
    ),
    RESET: Wording(
        marked("Another password at %(host)s"),
        marked(
            "Somebody asked for another password of yours at %(host)s. Open this link within an hour to choose one. If"
            " it was not you, ignore this letter: your password stays."
        ),
        "/sign-in/reset/{secret}",
    ),
    ADDRESS: Wording(
        marked("Your new address at %(host)s"),
        marked(
            "Somebody at %(host)s wants to sign in with this address. If that is you, open this link within a day."
            " If not, ignore this letter."
        ),
        "/sign-in/address/{secret}",
    ),
    WAITING: Wording(
        marked("A proposal waits at %(host)s"),
        marked("A program proposes something in your books at %(host)s, and waits for a decision."),
        "/b/{books}/proposals",
    ),
    CONNECTION_ENDS: Wording(
        marked("A connection ends at %(host)s"),
        marked("A program that you connected to your books at %(host)s is disconnected within a week."),
        "/b/{books}/settings/connections",
    ),
    BANK_ENDS: Wording(
        marked("A bank needs your consent at %(host)s"),
        marked("Your consent to fetch bank lines at %(host)s ends within a week. Renew it to go on."),
        "/b/{books}/settings/banks",
    ),
}
CLOSING: Final = marked("Tieout sends this by itself. Nobody reads answers.")


def written(letter: Letter, books: str, name: str, settings: Settings, now: datetime) -> EmailMessage:
    """Write a letter about some books; `name` is the same whenever this letter is sent again."""
    wording, language = WORDINGS[letter.about], letter.language if letter.language in LANGUAGES else ENGLISH
    translate, host = catalogue(language or ENGLISH).gettext, urlsplit(settings.public_url).netloc
    link = settings.public_url + wording.path.format(secret=letter.secret, books=books)
    said = EmailMessage()
    said["Subject"] = translate(wording.subject) % {"host": host}
    said["From"], said["To"] = settings.sender, letter.to
    said["Date"] = format_datetime(now)
    said["Message-ID"] = (
        f"<{sha256(f'{books} {name}'.encode()).hexdigest()[:32]}@{settings.sender.rpartition('@')[2]}>"
    )
    said["Auto-Submitted"] = "auto-generated"
    said.set_content(f"{translate(wording.text) % {'host': host}}\n\n{link}\n\n{translate(CLOSING)}\n")
    said["Content-Language"] = language
    return said
