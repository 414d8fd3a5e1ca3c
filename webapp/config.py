"""Settings: read from the environment, each `X` or from the file in `X_FILE`; unsafe ones prevent the start."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from importlib import metadata
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webapp import file_safety

if TYPE_CHECKING:
    from collections.abc import Mapping

CLONE = Path(__file__).resolve().parent.parent
MOST_REQUESTS_A_MINUTE = 120_000
METRICS_ON_LOOPBACK = "loopback"
LEAST_METRICS_TOKEN = 16
# Which other servers are called: those that somebody configured, or none.
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  (what to connect to in its place)
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")


class UnsafeSettingError(Exception):
    """A setting that would put the books at risk; the message says how to correct it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of this installation (design.md 4)."""

    database_url: str
    instance_path: Path
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    threads: int = 8
    trusted_hosts: tuple[str, ...] = LOOPBACK_HOSTS
    proxy_hops: int = 0
    rate_limit: int = MOST_REQUESTS_A_MINUTE
    public_url: str = ""
    oidc_issuer: str = ""
    oidc_client_id: str = ""
    oidc_client_secret: str = field(default="", repr=False)
    takes_passwords: bool = True
    smtp_url: str = field(default="", repr=False)
    mail_from: str = ""
    calls_others: bool = True
    outbound_hosts: frozenset[str] = frozenset()
    outbound_inner: frozenset[str] = frozenset()
    metrics: str = ""
    metrics_token: str = field(default="", repr=False)
    starts_worker: bool = True
    vault_key_file: Path | None = None

    @property
    def is_sqlite(self) -> bool:
        """Whether the books are in a SQLite file."""
        return self.database_url.startswith("sqlite")

    @property
    def is_measured(self) -> bool:
        """Whether anybody may read /metrics."""
        return bool(self.metrics or self.metrics_token)

    @property
    def database_file(self) -> Path | None:
        """SQLite's file; None for books on a server."""
        return Path(self.database_url.removeprefix("sqlite:///")) if self.is_sqlite else None

    @property
    def bind(self) -> str:
        """Host and port for a server to bind, with an IPv6 address in brackets."""
        return at_port(self.host, self.port)

    @property
    def own_bind(self) -> str:
        """Host and port at which this machine reaches the server."""
        return at_port(EVERYWHERE.get(self.host.strip("[]"), self.host), self.port)

    @property
    def address(self) -> str:
        """The URL for a browser on this machine."""
        return f"http://{self.own_bind}"

    @property
    def sender(self) -> str:
        """The address that letters come from."""
        return self.mail_from or f"tieout@{urlsplit(self.public_url).hostname}"

    @property
    def passkey_host(self) -> str | None:
        """The host of passkeys: that of the public address, which must have a name."""
        host = urlsplit(self.public_url).hostname
        try:
            ip_address(host or "")
        except ValueError:
            return host or None
        return None

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str] = os.environ, *, maintains: bool = False
    ) -> Settings:
        """Read the settings, or raise UnsafeSettingError with a hint.

        What maintains the books signs in to the database by MAINTENANCE_DATABASE_URL, where that is set.
        """
        read = SettingTexts(environment)
        instance_path = Path(read.text("INSTANCE_PATH", str(_home() / "instance"))).absolute()
        url = read.text("DATABASE_URL", "")
        database_url = _database_url(
            read.text("MAINTENANCE_DATABASE_URL", url) if maintains else url, instance_path
        )
        settings = cls(
            database_url=database_url,
            instance_path=instance_path,
            host=read.text("HOST", "127.0.0.1"),
            port=read.number("PORT", 8000, most=65535),
            workers=read.number("WEB_CONCURRENCY", 1 if database_url.startswith("sqlite") else 2, least=1),
            threads=read.number("THREADS", 8, least=1),
            trusted_hosts=tuple(
                read.text("TRUSTED_HOSTS", ",".join(LOOPBACK_HOSTS)).replace(" ", "").split(",")
            ),
            proxy_hops=read.number("PROXY_HOPS", 0, most=10),
            rate_limit=read.number("RATE_LIMIT", MOST_REQUESTS_A_MINUTE, most=1_000_000),
            public_url=read.text("PUBLIC_URL", "").rstrip("/"),
            oidc_issuer=read.text("OIDC_ISSUER", "").rstrip("/"),
            oidc_client_id=read.text("OIDC_CLIENT_ID", ""),
            oidc_client_secret=read.text("OIDC_CLIENT_SECRET", ""),
            takes_passwords=read.choice("LOCAL_SIGN_IN", "on", "off") == "on",
            smtp_url=read.text("SMTP_URL", ""),
            mail_from=read.text("MAIL_FROM", ""),
            calls_others=read.choice("OUTBOUND", "list", "none") == "list",
            outbound_hosts=read.hosts("OUTBOUND_HOSTS"),
            outbound_inner=read.hosts("OUTBOUND_INNER"),
            metrics=read.text("METRICS", ""),
            metrics_token=read.text("METRICS_TOKEN", ""),
            starts_worker=read.choice("WORKER", "on", "off") == "on",
            vault_key_file=Path(environment["VAULT_KEY_FILE"]).absolute()
            if environment.get("VAULT_KEY_FILE")
            else None,
        )
        refuse_unsafe(settings, environment)
        return settings


class SettingTexts:
    """Settings as they are written: each `X` of an environment, or the content of the file that `X_FILE` names."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment

    def text(self, name: str, default: str) -> str:
        """Read a text; raises UnsafeSettingError where its file cannot be read."""
        path = self._environment.get(f"{name}_FILE")
        if path:
            try:
                return Path(path).read_text(encoding="utf-8").strip()
            except OSError as error:
                raise UnsafeSettingError(f"{name}_FILE names a file that cannot be read: {path}.") from error
        return self._environment.get(name) or default

    def hosts(self, name: str) -> frozenset[str]:
        """Read names of machines, separated by commas."""
        return frozenset(each.strip().lower() for each in self.text(name, "").split(",") if each.strip())

    def choice(self, name: str, *words: str) -> str:
        """Read one of some words, the first where nothing is set; raises UnsafeSettingError."""
        text = self.text(name, words[0])
        if text not in words:
            raise UnsafeSettingError(f"{name} is {text!r}; set it to {' or '.join(words)}.")
        return text

    def number(self, name: str, default: int, *, least: int = 0, most: int = 1000) -> int:
        """Read a whole number; raises UnsafeSettingError where it is none in this range."""
        text = self.text(name, str(default))
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise UnsafeSettingError(f"{name} is {text!r}; set a whole number from {least} to {most}.")
        return int(text)


def _home() -> Path:
    """Return the folder of the clone that runs, or the working folder of an installed package."""
    return CLONE if (CLONE / "pyproject.toml").is_file() else Path.cwd()


def _database_url(text: str, instance_path: Path) -> str:
    if not text:
        return f"sqlite:///{instance_path / 'tieout.sqlite'}"
    url = _postgresql_url(text)
    if url.startswith(("sqlite:///", "postgresql+psycopg://")):
        return url
    raise UnsafeSettingError("DATABASE_URL must begin with postgresql:// or sqlite:///.")


def _postgresql_url(text: str) -> str:
    """Name our driver in an address of PostgreSQL; others stay as they are."""
    for spelling in ("postgres://", "postgresql://"):
        if text.startswith(spelling):
            return "postgresql+psycopg://" + text.removeprefix(spelling)
    return text


def make_instance(instance_path: Path) -> None:
    """Create the instance folder if it is missing, and let only its owner in, also where it was there and empty."""
    try:
        file_safety.make_own(instance_path)
    except OSError as error:
        raise UnsafeSettingError(
            f"{instance_path} cannot be used ({error.strerror}); set INSTANCE_PATH to a folder of this user."
        ) from error


def version() -> str:
    """Give the version of this program."""
    return metadata.version("tieout")


def is_loopback(host: str) -> bool:
    """Return whether an address is reachable from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return False
    # A server that listens on IPv6 and IPv4 sees 127.0.0.1 as ::ffff:127.0.0.1.
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def at_port(host: str, port: int) -> str:
    """Write a host with its port, an IPv6 address in brackets.

    >>> at_port("::1", 8000), at_port("localhost", 8000)
    ('[::1]:8000', 'localhost:8000')
    """
    bare = host.strip("[]")
    return f"[{bare}]:{port}" if ":" in bare else f"{bare}:{port}"


def is_origin(address: str) -> bool:
    """Return whether an address is a scheme, a host and a port: HTTPS, or plain HTTP on this machine.

    >>> is_origin("https://books.example.org"), is_origin("http://127.0.0.1:8000"), is_origin("http://books.example")
    (True, True, False)
    >>> is_origin("https://books.example/tieout"), is_origin("https://ada@books.example"), is_origin("https://a:b")
    (False, False, False)
    """
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return False
    host = parts.hostname or ""
    named = f"[{host}]" if ":" in host else host
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
    return is_safe and bool(host) and address == f"{parts.scheme}://{named}{port}"


def refuse_unsafe(settings: Settings, environment: Mapping[str, str]) -> None:
    """Raise UnsafeSettingError for settings that would put the books at risk."""
    if environment.get("FLASK_DEBUG", "0").lower() not in {"", "0", "false", "no"}:
        raise UnsafeSettingError("FLASK_DEBUG is on: its debugger runs anybody's code. Unset it.")
    if not all(settings.trusted_hosts) or "*" in settings.trusted_hosts:
        raise UnsafeSettingError("TRUSTED_HOSTS must list host names, separated by commas, and no '*'.")
    if settings.public_url and not is_origin(settings.public_url):
        raise UnsafeSettingError(
            f"PUBLIC_URL is {settings.public_url!r}; set it to the https address of this server without a path,"
            " like https://books.example.org."
        )
    of_oidc = settings.oidc_issuer, settings.oidc_client_id, settings.public_url
    if settings.oidc_issuer and not (all(of_oidc) and settings.oidc_issuer.startswith("https://")):
        raise UnsafeSettingError("OIDC_ISSUER is an https address, and needs OIDC_CLIENT_ID and PUBLIC_URL.")
    if not settings.takes_passwords and not settings.oidc_issuer:
        raise UnsafeSettingError("LOCAL_SIGN_IN is off and OIDC_ISSUER is not set: nobody could sign in.")
    _refuse_mail(settings)
    if settings.metrics not in {"", METRICS_ON_LOOPBACK}:
        raise UnsafeSettingError(
            f"METRICS is {settings.metrics!r}; set it to loopback, or set METRICS_TOKEN."
        )
    if 0 < len(settings.metrics_token) < LEAST_METRICS_TOKEN:
        raise UnsafeSettingError(
            f"METRICS_TOKEN has fewer than {LEAST_METRICS_TOKEN} characters: openssl rand -hex 32"
        )
    if settings.instance_path.is_dir():
        make_instance(settings.instance_path)
    fault = file_safety.fault(settings.instance_path, settings.database_file)
    if fault is not None:
        raise UnsafeSettingError(fault)


def _refuse_mail(settings: Settings) -> None:
    if not settings.smtp_url:
        return
    try:
        parts = urlsplit(settings.smtp_url)
        is_whole = parts.scheme in {"smtp", "smtps"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or parts.path.strip("/") or parts.query:
        # The address may have a password in it.
        raise UnsafeSettingError("SMTP_URL must be like smtps://user:password@mail.example.org or smtp://….")
    if not settings.public_url:
        raise UnsafeSettingError("SMTP_URL needs PUBLIC_URL: letters have links to this server.")
    if not settings.calls_others and not is_loopback(parts.hostname or ""):
        raise UnsafeSettingError("SMTP_URL names another machine, and OUTBOUND=none forbids to call any.")
    if not re.fullmatch(r"[^@\s<>,;\"]{1,64}@[^@\s<>,;\"]{1,255}", settings.sender):
        raise UnsafeSettingError("MAIL_FROM must be one address, like books@example.org.")
