"""The newest commits each say one thing, in a subject that fits on a line."""

import re
import subprocess

import pytest

from tests import tree

# The rule holds for the commits after this one.
BEFORE_THE_RULE = "6e35069e6221cb29"
NEWEST = 50
MOST_LETTERS = 72
TWO_THINGS = re.compile(r", and |; |[.:?!] ")


def git(*words):
    """Ask git about this folder, also where another user owns it."""
    command = ["git", "-c", "safe.directory=*", *words]
    return subprocess.run(command, cwd=tree.ROOT, capture_output=True, text=True, check=False)  # noqa: S603


def subjects():
    history = git("rev-parse", "--is-shallow-repository")
    if history.returncode:
        pytest.fail(f"This folder has no git history to read: {history.stderr.strip()}")
    knows_the_first = not git("cat-file", "-e", f"{BEFORE_THE_RULE}^{{commit}}").returncode
    if not knows_the_first and history.stdout.strip() != "true":
        pytest.fail(f"This history has no commit {BEFORE_THE_RULE}: name the last one before the rule here.")
    # A shallow clone without that commit ends after it, so all that it has is under the rule.
    since = [f"^{BEFORE_THE_RULE}"] if knows_the_first else []
    log = git("log", "--no-merges", f"--max-count={NEWEST}", "--format=%s", "HEAD", *since)
    return log.stdout.splitlines()


def test_a_commits_subject_fits_on_a_line():
    assert [subject for subject in subjects() if len(subject) > MOST_LETTERS] == []


def test_a_commits_subject_says_one_thing():
    assert [subject for subject in subjects() if TWO_THINGS.search(subject)] == []


def test_a_commits_subject_begins_like_a_sentence_and_ends_without_a_full_stop():
    assert [subject for subject in subjects() if not re.fullmatch(r"[A-Z`].*[^.]", subject)] == []
