"""Passwords: argon2id with its library's own costs, never too short."""

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.low_level import Type

from webapp.services.access import users


def test_a_password_is_hashed_by_argon2id_as_its_library_advises(monkeypatch):
    monkeypatch.setattr(users, "hasher", PasswordHasher())
    found = extract_parameters(users.hash_password("correct horse"))
    assert (found.type, found.memory_cost) == (Type.ID, 65536)
    assert found.time_cost >= 3


@pytest.mark.parametrize("password", ["", "nine char", "x" * 1001])
def test_a_password_of_another_length_is_refused(password):
    with pytest.raises(users.WeakPasswordError):
        users.hash_password(password)


@pytest.mark.parametrize("known", [None, "", "no hash", "$argon2id$v=19$m=8,t=1,p=1$x$y"])
def test_what_is_no_hash_opens_to_nobody(known):
    assert users.verify_password(known, "anything at all") is False
