"""Texts that go to other programs and come back: what they must not carry out, and what they must not hide."""
