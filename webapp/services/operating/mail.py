"""Mail, where an operator named a server for it: one letter at a time, over TLS, and nothing of it in a log."""

import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote, urlsplit

from webapp.ledger.errors import LedgerError, UnprocessableError

PATIENCE_SECONDS: Final = 30
TLS: Final = "smtps"
PORTS: Final = {TLS: 465, "smtp": 587}
# Replies of 500 and more are for good (RFC 5321, 4.2.1).
FOR_GOOD: Final = 500


class MailFailedError(LedgerError):
    """The mail server did not take the letter; it is tried again."""

    status = 503
    code = "mail_failed"


class MailRefusedError(UnprocessableError):
    """The mail server refuses the letter for good."""

    code = "mail_refused"


@dataclass(frozen=True, slots=True)
class MailServer:
    """A server that takes letters, as SMTP_URL names it."""

    host: str
    port: int
    is_tls: bool
    user: str
    password: str

    def send(self, letter: EmailMessage) -> None:
        """Hand a letter over; raises MailFailedError, or MailRefusedError where trying again is of no use."""
        try:
            with self._connected() as server:
                server.send_message(letter)
        except smtplib.SMTPRecipientsRefused as error:
            raise self._refusal(min(code for code, _ in error.recipients.values())) from None
        except smtplib.SMTPResponseException as error:
            raise self._refusal(error.smtp_code) from None
        except (OSError, smtplib.SMTPException) as error:
            raise MailFailedError(f"{self.host} takes no letter ({type(error).__name__}).") from None

    def greet(self) -> None:
        """Sign in and leave again; raises MailFailedError or MailRefusedError."""
        try:
            with self._connected() as server:
                server.noop()
        except smtplib.SMTPResponseException as error:
            raise self._refusal(error.smtp_code) from None
        except (OSError, smtplib.SMTPException) as error:
            raise MailFailedError(f"{self.host} takes no letter ({type(error).__name__}).") from None

    def _connected(self) -> smtplib.SMTP:
        """Connect and sign in; only a server of this machine is spoken to without TLS."""
        tls = ssl.create_default_context()
        if self.is_tls:
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=PATIENCE_SECONDS, context=tls
            )
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=PATIENCE_SECONDS)
        try:
            if not self.is_tls and not is_of_this_machine(server):
                server.starttls(context=tls)
            if self.user:
                server.login(self.user, self.password)
        except BaseException:
            server.close()
            raise
        return server

    def _refusal(self, reply: int) -> LedgerError:
        kind = MailRefusedError if reply >= FOR_GOOD else MailFailedError
        return kind(f"{self.host} answers {reply}.")


def is_of_this_machine(server: smtplib.SMTP) -> bool:
    """Return whether a server that was connected to is on this machine."""
    return server.sock is not None and ip_address(server.sock.getpeername()[0]).is_loopback


def server_of(address: str) -> MailServer | None:
    """Read the server that SMTP_URL names; none where mail is off."""
    if not address:
        return None
    parts = urlsplit(address)
    return MailServer(
        host=parts.hostname or "",
        port=parts.port or PORTS[parts.scheme],
        is_tls=parts.scheme == TLS,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )
