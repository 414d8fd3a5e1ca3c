"""The vault: secrets in the books that open with a key outside the database only, each as its owner's alone."""

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db, vault_key_file
from webapp.ledger.canonical import canonical_json
from webapp.ledger.errors import LedgerError
from webapp.models import Secret
from webapp.models.base import table_of
from webapp.services.storage import whole_files

OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
AT_ONCE: Final = 500
_SECRETS: Final = table_of(Secret)


class SecretLostError(LedgerError):
    """This secret does not open with the key of this server's vault; enter it again."""

    code = "secret_lost"


class VaultKeyError(LedgerError):
    """The key of this server's vault cannot be used; the operator finds the reason with: tieout doctor."""

    status = 503
    code = "vault_key"


class Owner(NamedTuple):
    """The row whose secret it is: what it is, and its random uid, which it keeps in a backup."""

    kind: str
    uid: str


def new_uid() -> str:
    """Make the uid of an owner: 128 random bits."""
    return secrets.token_hex(16)


def put(owner: Owner, purpose: str, value: str, *, now: datetime) -> None:
    """Keep an owner's secret of a purpose, in the place of an earlier one."""
    drop(owner, purpose)
    row = {"uid": new_uid(), "owner_kind": owner.kind, "owner_uid": owner.uid, "purpose": purpose}
    key_id, key = next(iter(_keys(make=True).items()))
    db.session.execute(sa.insert(_SECRETS), [row | _sealed(row, key_id, key, value.encode(), now)])


def get(owner: Owner, purpose: str) -> str:
    """Open an owner's secret; raises SecretLostError where there is none that this vault's key opens."""
    row = db.session.execute(sa.select(_SECRETS).where(*_of(owner, purpose))).mappings().one_or_none()
    if row is None:
        raise SecretLostError
    return _opened(row, _keys()).decode()


def drop(owner: Owner, purpose: str | None = None) -> None:
    """Delete an owner's secret of a purpose, or all that it has."""
    db.session.execute(sa.delete(_SECRETS).where(*_of(owner, purpose)))


def count_lost() -> int:
    """Count the secrets of all owners that the key does not open."""
    keys = _keys()
    return sum(not _opens(row, keys) for row in db.session.execute(sa.select(_SECRETS)).mappings())


def reseal(now: datetime) -> int:
    """Encrypt some secrets of earlier keys with the newest one, and count them; call it until there are none."""
    keys = _keys()
    if not keys:
        return 0
    (newest, key), *earlier = keys.items()
    old = (
        sa.select(_SECRETS)
        .where(_SECRETS.c.key_id.in_([name for name, _ in earlier]))
        .order_by(_SECRETS.c.uid)
    )
    rows = [row for row in db.session.execute(old).mappings() if _opens(row, keys)]
    for row in rows:
        # One that was replaced meanwhile is sealed with the newest key already.
        same = _SECRETS.c.uid == row["uid"], _SECRETS.c.nonce == row["nonce"]
        values = _sealed(row, newest, key, _opened(row, keys), now)
        db.session.execute(sa.update(_SECRETS).where(*same).values(values))
    return len(rows)


@contextmanager
def alone() -> Iterator[None]:
    """Wait until nobody else changes the file of keys, and keep others from it meanwhile."""
    folder = os.open(key_path().parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def add_key() -> None:
    """Make a new key for what is kept from now on, and keep the one before it, which may still be in use.

    Call it only when nothing is sealed with keys that are older than that. Raises OSError.
    """
    _write(key_path(), [secrets.token_bytes(KEY_BYTES), *list(_keys().values())[:1]])


def key_path() -> Path:
    """Give the place of the file with the keys, the newest first."""
    return vault_key_file()[0]


def _of(owner: Owner, purpose: str | None) -> tuple[sa.ColumnElement[bool], ...]:
    of_owner = _SECRETS.c.owner_kind == owner.kind, _SECRETS.c.owner_uid == owner.uid
    return of_owner if purpose is None else (*of_owner, _SECRETS.c.purpose == purpose)


def _sealed(row: Any, key_id: str, key: bytes, value: bytes, now: datetime) -> dict[str, Any]:
    nonce = secrets.token_bytes(NONCE_BYTES)
    ciphertext = _cipher(key).encrypt(nonce, value, _bound(row, key_id))
    return {"key_id": key_id, "nonce": nonce, "ciphertext": ciphertext, "sealed_at": now}


def _opened(row: Any, keys: Mapping[str, bytes]) -> bytes:
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415  (heavy, and needed where secrets are only)

    key = keys.get(row["key_id"])
    if key is None:
        raise SecretLostError
    try:
        opened: bytes = _cipher(key).decrypt(row["nonce"], row["ciphertext"], _bound(row, row["key_id"]))
    except (InvalidTag, ValueError):
        raise SecretLostError from None
    return opened


def _opens(row: Any, keys: Mapping[str, bytes]) -> bool:
    try:
        _opened(row, keys)
    except SecretLostError:
        return False
    return True


def _bound(row: Any, key_id: str) -> bytes:
    """Write what a secret is bound to, so that it does not open in another row."""
    names = {"uid": "uid", "ownerKind": "owner_kind", "ownerUid": "owner_uid", "purpose": "purpose"}
    return canonical_json({key: row[name] for key, name in names.items()} | {"keyId": key_id}).encode()


def _cipher(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  (as above)

    return AESGCM(key)


def _keys(*, make: bool = False) -> dict[str, bytes]:
    """Read the keys by their ids, the newest first; raises VaultKeyError."""
    path = key_path()
    if make and not path.exists():
        _make(path)
    try:
        if path.stat().st_mode & OTHERS:
            raise VaultKeyError(f"Other users of this machine may read {path}. Run: chmod 600 {path}")
        keys = [bytes.fromhex(line) for line in path.read_text(encoding="ascii").split()]
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise VaultKeyError(f"{path} holds no keys that can be read ({type(error).__name__}).") from None
    if not keys or any(len(key) != KEY_BYTES for key in keys):
        raise VaultKeyError(f"{path} needs keys of 64 hexadecimal digits, the newest first.")
    return {sha256(key).hexdigest()[:16]: key for key in keys}


def _make(path: Path) -> None:
    """Make the first key, unless another process just did; that of the operator is the operator's to make."""
    if vault_key_file()[1]:
        raise VaultKeyError(f"{path} is not there. Run: (umask 077; openssl rand -hex 32 > {path})")
    with alone():
        if not path.exists():
            _write(path, [secrets.token_bytes(KEY_BYTES)])


def _write(path: Path, keys: list[bytes]) -> None:
    whole_files.keep(path, "".join(f"{key.hex()}\n" for key in keys).encode())
