"""`tieout serve`: gunicorn with as many workers as wished, on both databases."""

import urllib.request


def read(address: str) -> str:
    with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310  (our own address)
        return answer.read().decode()


def test_four_workers_serve_the_books(gunicorn):
    address = gunicorn(workers=4)
    assert {read(f"{address}/readyz") for _ in range(12)} == {"ok\n"}


def test_the_books_are_there_for_those_who_may(gunicorn, ada):
    request = urllib.request.Request(  # noqa: S310  (our own address)
        f"{gunicorn(workers=2)}/api/transactions", headers={"Authorization": f"Bearer {ada.token}"}
    )
    with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
        assert answer.status == 200
