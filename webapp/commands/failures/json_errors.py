"""The JSON output of a failed command: one object on standard error, as in the API."""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from webapp.commands.failures import FailedError, stopped

USAGE = click.UsageError.exit_code


class JsonErrors(click.Group):
    """A group whose commands write `{"error", "code"}` instead of a sentence if they fail with `--json`.

    The exit statuses are the same: 1 for a failure or a refusal, 2 for wrong use.
    """

    # click's own has an overload for each mode.
    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **more: Any
    ) -> Any:
        """Run a command and end the program; without `--json`, click does so itself."""
        words = list(sys.argv[1:] if args is None else args)
        if not standalone_mode or "--json" not in words:
            return super().main(words, standalone_mode=standalone_mode, **more)
        try:
            status = super().main(words, standalone_mode=False, **more)
        except click.ClickException as error:
            click.echo(json.dumps(_facts(error), ensure_ascii=False), err=True)
            status = error.exit_code
        except click.Abort:
            click.echo(json.dumps(_facts(stopped()), ensure_ascii=False), err=True)
            status = 1
        except OSError as error:
            if error.errno != errno.EPIPE:
                raise
            status = 1
        sys.exit(status if isinstance(status, int) else 0)


def _facts(error: click.ClickException) -> dict[str, object]:
    if isinstance(error, FailedError):
        details = {"details": error.details} if error.details else {}
        return {"error": error.message, "code": error.code, **details}
    return {"error": error.format_message(), "code": "usage" if error.exit_code == USAGE else "failed"}
