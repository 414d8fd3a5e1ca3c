"""Texts that go to other programs and come back: they must neither act nor hide anything there."""
