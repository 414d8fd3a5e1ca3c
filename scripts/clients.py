"""Generate clients from the OpenAPI document as others do, compile them, and let them call the served demo.

    python -m scripts.clients

The generators are installed into a folder of their own, by the registries' ordinary programs, and go with it. It needs
node and npm, and takes about a minute. What is wrong ends it with the output of the program that found it.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import tempfile
import venv
from datetime import datetime
from pathlib import Path
from typing import Final
from urllib.request import Request, urlopen

import sqlalchemy as sa

from scripts import demos
from webapp.database.sessions import db
from webapp.models import Membership, User
from webapp.services.access import tokens
from webapp.services.audit.act import Actor

CALLS: Final = Path(__file__).parent / "client_calls"
PYTHON_PACKAGES: Final = ("openapi-python-client==0.29.1",)
NODE_PACKAGES: Final = (
    "openapi-typescript@7.13.0",
    "openapi-fetch@0.17.0",
    "typescript@5.9.3",
    "@types/node@20",
)
# Nothing of the generated code is formatted, and warnings about the document are looked for.
GENERATOR: Final = {"post_hooks": []}
COMPILER: Final = (
    *("--strict", "--skipLibCheck", "false", "--exactOptionalPropertyTypes"),
    *("--module", "nodenext", "--target", "es2022", "--types", "node"),
)
WARNED: Final = "Warning(s) encountered"


class BadClientError(Exception):
    """A program has refused the document, the client or its calls; its output says why."""


def main() -> None:
    """Make both clients and let them call."""
    logging.disable(logging.INFO)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as name, demos.served(key) as (address, token):
        folder = Path(name)
        document = Request(f"{address}/api/openapi.json", headers={"Authorization": f"Bearer {token}"})  # noqa: S310  (our own address)
        (folder / "openapi.json").write_bytes(urlopen(document).read())  # noqa: S310  (the same)
        for made in (of_python(folder, address, token), of_typescript(folder, address, token)):
            sys.stdout.write(f"{made}\n")


def key(owner: User, now: datetime) -> str:
    """Make the owner an API key."""
    membership = db.session.scalars(sa.select(Membership).where(Membership.user_id == owner.id)).one()
    actor = Actor(membership.organization_id, "PERSON", owner.id, owner.name, owner.id)
    return tokens.create(membership, actor=actor, now=now, name="A generated client")[1]


def of_python(folder: Path, address: str, token: str) -> str:
    """Generate a package, import every module of it, and call; answers what the calls printed."""
    place = folder / "python"
    venv.create(place, with_pip=True)
    run(place / "bin" / "python", "-m", "pip", "install", "--quiet", *PYTHON_PACKAGES)
    (folder / "generator.json").write_text(json.dumps(GENERATOR))
    generator = (place / "bin" / "openapi-python-client", "generate", "--config", folder / "generator.json")
    told = run(*generator, "--path", folder / "openapi.json", "--output-path", folder / "client")
    if WARNED in told:
        raise BadClientError(told)
    return run(place / "bin" / "python", CALLS / "calls.py", folder / "client", address, token)


def of_typescript(folder: Path, address: str, token: str) -> str:
    """Generate types, compile calls against them as strictly as the compiler can, and make these calls."""
    place = folder / "node"
    place.mkdir()
    (place / "package.json").write_text(json.dumps({"private": True, "type": "module"}))
    run("npm", "install", "--silent", "--no-audit", "--no-fund", *NODE_PACKAGES, cwd=place)
    programs = place / "node_modules" / ".bin"
    run(
        programs / "openapi-typescript", folder / "openapi.json", "--output", place / "schema.d.ts", cwd=place
    )
    (place / "calls.ts").write_text((CALLS / "calls.ts").read_text())
    run(programs / "tsc", "--noEmit", *COMPILER, "calls.ts", "schema.d.ts", cwd=place)
    run(programs / "tsc", *COMPILER, "calls.ts", cwd=place)
    return run("node", "calls.js", address, token, cwd=place)


def run(*words: str | Path, cwd: Path | None = None) -> str:
    """Run a program; answers what it printed, or raises BadClientError with it."""
    done = subprocess.run(  # noqa: S603  (the words are ours)
        [str(each) for each in words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = (done.stdout + done.stderr).strip()
    if done.returncode != 0:
        raise BadClientError(f"{words[0]} ended with {done.returncode}:\n{printed}")
    return printed


if __name__ == "__main__":
    try:
        main()
    except BadClientError as error:
        sys.exit(str(error))
