"""Readers of large answers hold no thread: what they do not take waits in TMPDIR, and who takes nothing is ended."""

import tempfile
import time
from pathlib import Path

from tests.server.toys import LAST, status

MEBIBYTE = 1024**2
LARGE = "GET /large/{} HTTP/1.1\r\nHost: x\r\n\r\n"


def waiting(toy) -> int:
    return sum(each.outbufs[-1].__len__() for each in toy.worker.map.values() if hasattr(each, "outbufs"))


def test_readers_who_do_not_read_a_large_answer_leave_the_threads_to_others(toys, rounds):
    toy = toys(threads=8, ANSWER_SECONDS=60)
    size = rounds(4, 40) * MEBIBYTE
    readers = [toy.client().send(LARGE.format(size)) for _ in range(8)]
    until = time.monotonic() + 30
    while waiting(toy) < 8 * (size - 4 * MEBIBYTE) and time.monotonic() < until:
        time.sleep(0.05)
    began = time.monotonic()
    assert status(toy.client().send(LAST).read()) == 200
    assert time.monotonic() - began < 1
    for reader in readers:
        assert len(reader.until(b"x" * 100)) > 0


def test_who_takes_nothing_is_ended_also_while_the_answer_is_made(toys, monkeypatch):
    ended = []

    def slowly():
        try:
            for _ in range(200):
                time.sleep(0.02)
                yield b"x" * MEBIBYTE
        finally:
            ended.append(time.monotonic())

    toy = toys(ANSWER_SECONDS=0.5)
    toy.app.view_functions["stream"] = lambda **_count: toy.app.response_class(slowly())
    began = time.monotonic()
    client = toy.client().send("GET /stream/1 HTTP/1.1\r\nHost: x\r\n\r\n")
    while not ended and time.monotonic() - began < 4:
        time.sleep(0.05)
    # Of four seconds it took less than three.
    assert ended[0] - began < 3
    assert len(client.read()) < 100 * MEBIBYTE


def test_what_waits_is_in_a_file_and_goes_with_its_connection(toys):
    toy = toys(ANSWER_SECONDS=60)
    before = open_files()
    client = toy.client().send(LARGE.format(20 * MEBIBYTE))
    until = time.monotonic() + 20
    while waiting(toy) < 10 * MEBIBYTE and time.monotonic() < until:
        time.sleep(0.05)
    assert open_files() > before
    client.sock.close()
    time.sleep(0.5)
    assert open_files() == before


def open_files() -> int:
    folder = tempfile.gettempdir()
    links = []
    for each in Path("/proc/self/fd").iterdir():
        try:
            links.append(str(each.readlink()))
        except FileNotFoundError:
            continue
    return sum(link.startswith(folder) and "(deleted)" in link for link in links)
