"""The image and compose.yaml: read as they are written, and what they run is run here."""

import copy
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import closing
from functools import partial, reduce
from importlib import resources
from pathlib import Path
from uuid import uuid4

import jsonschema
import psycopg
import pytest
import sqlalchemy as sa
import yaml

from scripts import sbom
from tests import tree
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.servers import PATIENCE_SECONDS, free_port, wait_until_ready
from tests.fixtures.stores import PostgresqlServer
from tests.operating.newcomers import BOOKS, PASSWORD, Newcomer, Told, proven, signed_in, started
from tests.operating.releases import PROGRAMS
from webapp.config import version
from webapp.database import stop
from webapp.migrations.revisions import head_revision

INSTRUCTION = re.compile(r"^([A-Z]+) (.*)$", re.MULTILINE)
COMPOSE = yaml.safe_load((tree.ROOT / "compose.yaml").read_text(encoding="utf-8"))
OURS = Path(sys.executable).parent
SOURCES = "/etc/apt/sources.list.d/debian.sources"
OWNER = (BOOKS["email"], PASSWORD)
MOST_BYTES = 250 * 1024**2


def instructions() -> list[tuple[str, str]]:
    text = (tree.ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", "")
    return INSTRUCTION.findall(text)


def last(name: str) -> str:
    return [rest for each, rest in instructions() if each == name][-1]


@pytest.fixture
def contained(empty_database_url, tmp_path):
    """Somebody with the image's settings on an empty volume, at a port of its own and this machine's address."""
    url = tmp_path / "database_url"
    url.write_text(empty_database_url)
    books = tmp_path / "books"
    settings = {"INSTANCE_PATH": str(books), "HOST": "0.0.0.0", "PORT": str(free_port())}  # noqa: S104
    settings["PATH"] = f"{OURS}:{os.environ['PATH']}"
    if not empty_database_url.startswith("sqlite"):
        settings["DATABASE_URL_FILE"] = str(url)
    return Newcomer((), tmp_path, settings)


@pytest.mark.rare
def test_the_image_starts_on_an_empty_volume_and_again_and_knows_its_health(contained):
    command, check = json.loads(last("CMD")), json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    unanswered = contained.run(*check)
    assert (unanswered.returncode, unanswered.stdout) == (1, "")
    assert "No server answers at http://127.0.0.1:" in unanswered.stderr
    for is_first in (True, False):
        with contained.served(*command) as address:
            assert contained.told(*check) == "ok\n"
            hub = started(address, contained.first_link()) if is_first else signed_in(address, *OWNER)
            assert "Lantern Studio" in hub
        assert "nor through the port of a container: put a reverse proxy with HTTPS in front" in contained.log
    told = contained.run("tieout", "migrate", "--if-empty")
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


@pytest.mark.rare
@on_sqlite
def test_a_server_that_is_stopped_is_not_healthy(contained):
    contained.told("tieout", "migrate")
    flag = Path(contained.settings["INSTANCE_PATH"]) / stop.FILE_NAME
    for revision, said in ((head_revision(), stop.UPGRADED), ("9999", stop.KILLED)):
        flag.touch(0o600)
        flag.write_text(revision)
        with contained.served("tieout", "serve"):
            flag.touch(0o600)
            refused = contained.run("tieout", "health", "--json")
            assert (refused.returncode, json.loads(refused.stderr)["code"]) == (1, "not_ready")
        assert f"{said} They are at revision {head_revision()}." in contained.log


def test_the_image_is_one_user_and_one_volume_and_takes_what_is_there():
    assert last("USER") == "10001:10001"
    assert [rest for name, rest in instructions() if name == "VOLUME"] == ["/books"]
    assert last("STOPSIGNAL") == "SIGTERM"
    assert "--require-hashes" in " ".join(rest for name, rest in instructions() if name == "RUN")
    let_in = {line[1:] for line in (tree.ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"}
    copied = {
        source
        for name, rest in instructions()
        if name == "COPY" and not rest.startswith("--from")
        for source in shlex.split(rest)[:-1]
    }
    assert copied == let_in
    assert all((tree.ROOT / each).exists() for each in copied)


def test_each_service_of_ours_is_closed_and_all_that_compose_names_is_declared():
    services = COMPOSE["services"]
    for name in ("tieout", "on-postgresql"):
        service = services[name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        assert service["tmpfs"][0].startswith("/tmp:size=")  # noqa: S108
        assert service["volumes"][0].endswith(":/books")
        assert "command" not in service
    assert [name for name, each in services.items() if "profiles" not in each] == ["tieout"]
    assert len({port for each in services.values() for port in each.get("ports", ())}) == 2
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        assert set(service.get("secrets", ())) <= set(COMPOSE["secrets"])
        assert {each["source"] for each in service.get("configs", ())} <= set(COMPOSE["configs"])
        assert {each.partition(":")[0] for each in service.get("volumes", ())} <= set(COMPOSE["volumes"])
    url = services["on-postgresql"]["environment"]["DATABASE_URL_FILE"]
    assert url.removeprefix("/run/secrets/") in services["on-postgresql"]["secrets"]


SERVICE = ("services", "on-postgresql")
MISTAKES = {
    "an unknown word": ((*SERVICE, "read_onyl"), True),
    "a word of the top": (("service",), {}),
    "a list in the place of a text": ((*SERVICE, "image"), ["tieout"]),
    "a text in the place of a flag or a variable": ((*SERVICE, "read_only"), ["yes"]),
    "a port without a number": ((*SERVICE, "ports"), [{"target": {}}]),
    "a condition that there is not": ((*SERVICE, "depends_on", "postgresql", "condition"), "healthy"),
    "a secret without a name": ((*SERVICE, "secrets"), [{"source": 1}]),
    "an unknown word of a health check": (("services", "postgresql", "healthcheck", "retry"), 20),
    "a config that is a text": (("configs", "roles"), "roles.sh"),
    "a size that is a list": ((*SERVICE, "tmpfs"), {"/tmp": "2g"}),  # noqa: S108
}


@pytest.fixture(scope="module")
def schema():
    """Compose's own schema, as others keep it."""
    kept = resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    return jsonschema.Draft202012Validator(json.loads(kept.read_text(encoding="utf-8")))


def test_compose_takes_the_file_by_its_own_schema_also_with_the_proxy(schema):
    assert schema.schema["$schema"] == schema.META_SCHEMA["$id"]
    text = (tree.ROOT / "compose.yaml").read_text(encoding="utf-8")
    uncommented = re.sub(
        r"^( *)# (?=(?:  )*[a-zA-Z_]+:)", r"\1", text[text.index("services:") :], flags=re.MULTILINE
    )
    whole = yaml.safe_load(uncommented)
    assert whole["services"]["proxy"]["volumes"] == ["certificates:/data"]
    assert whole["services"]["on-postgresql"]["environment"]["PROXY_HOPS"] == "1"
    for each in (COMPOSE, whole):
        assert [error.message for error in schema.iter_errors(each)] == []


@pytest.mark.parametrize(("place", "value"), MISTAKES.values(), ids=MISTAKES)
def test_the_schema_refuses_mistakes(schema, place, value):
    wrong = copy.deepcopy(COMPOSE)
    reduce(dict.__getitem__, place[:-1], wrong)[place[-1]] = value
    assert not schema.is_valid(wrong)


@pytest.fixture
def new_server():
    """A server of PostgreSQL as its container begins: with nothing but a superuser."""
    server = PostgresqlServer(f"compose-{uuid4().hex[:8]}", "own")
    yield sa.make_url(server.url("")).set(database=None)
    server.close()


@pytest.mark.rare
def test_postgresql_gets_the_roles_of_compose_and_is_healthy_with_them(new_server, tmp_path):
    """Its script and its health check run as they are written, but for the places of the socket and of the secret."""
    service, place = COMPOSE["services"]["postgresql"], new_server.query["host"]
    check = [place if word == "127.0.0.1" else word for word in service["healthcheck"]["test"][1:]]
    (tmp_path / "password").write_text("a secret's text\n")
    script = COMPOSE["configs"]["roles"]["content"].replace("$$", "$").replace("/run/secrets", str(tmp_path))
    settings = {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "PGHOST": place, "PGUSER": new_server.username}
    subprocess.run(["/bin/bash", "-ec", script], env=settings, check=True)  # noqa: S603
    subprocess.run(check, env=settings, check=True)  # noqa: S603
    url = new_server.set(drivername="postgresql", username="tieout", database="tieout")
    secrets = tmp_path / "database_url"
    secrets.write_text(url.render_as_string(hide_password=False))
    own = {
        "DATABASE_URL_FILE": str(secrets),
        "INSTANCE_PATH": str(tmp_path / "books"),
        "PATH": os.environ["PATH"],
    }
    assert "row-level security" not in Newcomer((f"{OURS}/tieout",), tmp_path, own).told("migrate")
    superuser = new_server.set(drivername="postgresql", database="postgres")
    with closing(psycopg.connect(superuser.render_as_string(hide_password=False))) as connection:
        told = (
            "SELECT rolsuper, rolcreaterole, rolpassword IS NOT NULL FROM pg_authid WHERE rolname = 'tieout'"
        )
        assert connection.execute(told).fetchone() == (False, False, True)


def test_the_bill_of_materials_has_each_package_of_the_lock():
    lock = (tree.ROOT / "requirements.lock").read_text(encoding="utf-8")
    bill = sbom.bill(lock, version())
    pinned = re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.MULTILINE)
    assert len(pinned) > 30
    assert [each["purl"] for each in bill["components"]] == [f"pkg:pypi/{a}@{b}" for a, b in pinned]
    flask = next(each for each in bill["components"] if each["name"] == "flask")
    assert flask["licenses"] == [{"expression": "BSD-3-Clause"}]


@pytest.mark.rare
@on_sqlite
def test_a_socket_of_the_system_keeps_connections_while_the_server_restarts(contained):
    """As systemd does it: the socket is the third file, and stays open between two servers."""
    contained.told("tieout", "migrate")
    with socket.create_server(("127.0.0.1", 0), backlog=64) as port:
        address = f"http://127.0.0.1:{port.getsockname()[1]}"
        inherited = f"exec 3<&{port.fileno()}; export LISTEN_PID=$$ LISTEN_FDS=1; exec tieout serve"
        environment = {**os.environ, **contained.settings}

        def serve() -> subprocess.Popen[str]:
            return subprocess.Popen(  # noqa: S603
                ["/bin/bash", "-c", inherited],
                cwd=contained.folder,
                env=environment,
                pass_fds=[port.fileno()],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )

        first = serve()
        wait_until_ready(address, Told(first))
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=PATIENCE_SECONDS)
        with socket.create_connection(port.getsockname(), PATIENCE_SECONDS) as waiting:
            waiting.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            second = serve()
            assert waiting.recv(64).startswith(b"HTTP/1.1 200 OK")
        with urllib.request.urlopen(f"{address}/readyz", timeout=PATIENCE_SECONDS) as answer:  # noqa: S310
            assert answer.status == 200
        second.send_signal(signal.SIGTERM)
        second.communicate(timeout=PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Build the image without an engine of containers; answers its root file system."""
    folder = tmp_path_factory.mktemp("image")
    store = ("--storage-driver", "vfs", "--root", str(folder / "images"), "--runroot", str(folder / "run"))
    buildah = partial(told, "buildah", *store)
    told("mmdebstrap", "--variant=minbase", "bookworm", str(folder / "base.tar"), SOURCES)
    empty = buildah("from", "scratch")
    buildah("add", empty, str(folder / "base.tar"), "/")
    buildah("commit", "--format", "docker", empty, "localhost/base")
    given = ("BASE=localhost/base", "PIP_NO_INDEX=1", "PIP_FIND_LINKS=/wheelhouse")
    wheelhouse = f"{Path(sys.prefix) / 'wheelhouse'}:/wheelhouse:ro"
    mounted = (wheelhouse, "/etc/apt/apt.conf.d:/etc/apt/apt.conf.d:ro")
    options = [*(f"--build-arg={each}" for each in given), *(f"--volume={each}" for each in mounted)]
    words = (
        "--format",
        "docker",
        "--isolation",
        "chroot",
        "--tag",
        "localhost/tieout",
        "--file",
        "Containerfile",
    )
    buildah("bud", *words, *options, str(tree.ROOT))
    return buildah("mount", buildah("from", "localhost/tieout"))


@pytest.mark.full
def test_the_image_is_small_and_proves_from_a_read_only_root(root, tmp_path):
    """Run its root file system as its user and the first process, with nothing to write to but its volume."""
    assert int(told("du", "--summarize", "--bytes", root).split()[0]) <= MOST_BYTES
    assert len(json.loads(Path(root, "opt/tieout/share/tieout/sbom.json").read_text())["components"]) > 30
    books = tmp_path / "books"
    books.mkdir(0o700)
    places = ("--ro-bind", root, "/", "--bind", str(books), "/books", "--tmpfs", "/tmp", "--proc", "/proc")  # noqa: S108
    user = ("--unshare-user", "--uid", "10001", "--gid", "10001", "--cap-drop", "ALL")
    alone = ("--dev", "/dev", "--unshare-pid", "--as-pid-1", "--die-with-parent", "--chdir", "/books")
    settings = {"PATH": "/opt/tieout/bin:/usr/bin:/bin", "INSTANCE_PATH": "/books", "TMPDIR": "/tmp"}  # noqa: S108
    image = Newcomer(("bwrap", *places, *user, *alone), tmp_path, settings)
    image.told("tieout", "migrate", "--if-empty")
    demo = json.loads(image.run("tieout", "demo", "--json").stdout)
    owner = ("--organization", demo["organizationId"], "--email", demo["email"])
    token = image.run("tieout", "create-token", *owner, "--name", "First").stdout.strip()
    command, check = json.loads(last("CMD")), json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    with image.served(*command) as address:
        assert "Northlight" in signed_in(address, demo["email"], demo["password"])
        assert proven(address, token)["holds"] is True
    with image.served(*command) as address:
        assert "Northlight" in signed_in(address, demo["email"], demo["password"])
        assert image.told(*check) == "ok\n"
    assert image.told("tieout", "check") == "The books are sound.\n"


def told(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()
