"""The demo's sign-in: a file of the instance that only its owner can read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

FILE_NAME = "demo_sign_in"


@dataclass(frozen=True, slots=True)
class SignIn:
    """An email address and a password in plain text: the demo's, and nobody else's."""

    email: str
    password: str


def keep(instance_path: Path, sign_in: SignIn) -> None:
    """Write the sign-in over an earlier one, with mode 0600 from the first byte."""
    path = instance_path / FILE_NAME
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{sign_in.email}\n{sign_in.password}\n")


def kept(instance_path: Path) -> SignIn | None:
    """Read the sign-in, if there is one."""
    try:
        email, password = (instance_path / FILE_NAME).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ValueError):
        return None
    return SignIn(email, password)
