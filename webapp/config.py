"""Settings: read from the environment, each `X` or from the file in `X_FILE`; unsafe ones prevent the start."""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT = Path(__file__).resolve().parent.parent
SHORTEST_SECRET = 32
MOST_REQUESTS_A_MINUTE = 120_000
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")


class UnsafeSettingError(Exception):
    """A setting that would put the books at risk; the message says how to correct it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of this installation (design.md 4)."""

    database_url: str
    secret_key: str
    instance_path: Path
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    threads: int = 8
    trusted_hosts: tuple[str, ...] = LOOPBACK_HOSTS
    proxy_hops: int = 0
    rate_limit: int = MOST_REQUESTS_A_MINUTE

    @property
    def is_sqlite(self) -> bool:
        """Whether the books are in a SQLite file."""
        return self.database_url.startswith("sqlite")

    @property
    def bind(self) -> str:
        """Host and port for a server to bind, with an IPv6 address in brackets."""
        host = self.host.strip("[]")
        return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    @property
    def address(self) -> str:
        """The URL for a browser on this machine."""
        return f"http://{self.bind}"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Read the settings, or raise UnsafeSettingError with a hint."""
        read = _Environment(environment)
        instance_path = Path(read.text("INSTANCE_PATH", str(PROJECT / "instance"))).absolute()
        database_url = _database_url(read.text("DATABASE_URL", ""), instance_path)
        settings = cls(
            database_url=database_url,
            secret_key=read.text("SECRET_KEY", "") or _stored_secret(instance_path),
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
        )
        refuse_unsafe(settings, environment)
        return settings


class _Environment:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def text(self, name: str, default: str) -> str:
        path = self._environment.get(f"{name}_FILE")
        if path:
            try:
                return Path(path).read_text(encoding="utf-8").strip()
            except OSError as error:
                raise UnsafeSettingError(f"{name}_FILE names a file that cannot be read: {path}.") from error
        return self._environment.get(name) or default

    def number(self, name: str, default: int, *, least: int = 0, most: int = 1000) -> int:
        text = self.text(name, str(default))
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise UnsafeSettingError(f"{name} is {text!r}; set a whole number from {least} to {most}.")
        return int(text)


def _database_url(text: str, instance_path: Path) -> str:
    if not text:
        return f"sqlite:///{instance_path / 'tieout.sqlite'}"
    for spelling in ("postgres://", "postgresql://"):
        if text.startswith(spelling):
            return "postgresql+psycopg://" + text.removeprefix(spelling)
    if text.startswith(("sqlite:///", "postgresql+psycopg://")):
        return text
    raise UnsafeSettingError("DATABASE_URL must begin with postgresql:// or sqlite:///.")


def _stored_secret(instance_path: Path) -> str:
    """Create the secret key once and store it in the instance, readable by its owner only."""
    path = instance_path / "secret_key"
    make_instance(instance_path)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32))
    return path.read_text(encoding="ascii").strip()


def make_instance(instance_path: Path) -> None:
    """Create the instance folder if it is missing, readable by its owner only."""
    instance_path.mkdir(mode=0o700, parents=True, exist_ok=True)


def is_loopback(host: str) -> bool:
    """Return whether an address is reachable from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def refuse_unsafe(settings: Settings, environment: Mapping[str, str]) -> None:
    """Raise UnsafeSettingError for settings that would put the books at risk."""
    if len(settings.secret_key) < SHORTEST_SECRET:
        raise UnsafeSettingError(
            f"SECRET_KEY has {len(settings.secret_key)} characters; use at least {SHORTEST_SECRET} random ones, "
            "or unset it to have one created and stored in the instance."
        )
    if environment.get("FLASK_DEBUG", "0").lower() not in {"", "0", "false", "no"}:
        raise UnsafeSettingError("FLASK_DEBUG is on: its debugger runs anybody's code. Unset it.")
    if not all(settings.trusted_hosts) or "*" in settings.trusted_hosts:
        raise UnsafeSettingError("TRUSTED_HOSTS must list host names, separated by commas, and no '*'.")
    if settings.is_sqlite:
        _refuse_readable_books(Path(settings.database_url.removeprefix("sqlite:///")))


def _refuse_readable_books(path: Path) -> None:
    if path.exists() and path.stat().st_mode & (stat.S_IRWXO):
        raise UnsafeSettingError(f"{path} can be read by every user of this machine; run: chmod 600 {path}")
