"""The table of the corpus at the end of a run: files, right and wrong for each format."""

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    verdicts = {
        verdict: Counter(
            bank_format
            for report in terminalreporter.getreports(verdict)
            if report.when == "call"
            for name, bank_format in report.user_properties
            if name == "corpus_format"
        )
        for verdict in ("passed", "failed")
    }
    formats = sorted(verdicts["passed"].keys() | verdicts["failed"].keys())
    if formats:
        terminalreporter.section("corpus")
        terminalreporter.write_line(f"{'format':<12}{'files':>7}{'right':>7}{'wrong':>7}")
    for bank_format in formats:
        right, wrong = (verdicts[verdict][bank_format] for verdict in ("passed", "failed"))
        terminalreporter.write_line(f"{bank_format:<12}{right + wrong:>7}{right:>7}{wrong:>7}")
