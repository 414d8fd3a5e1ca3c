"""The output of a failed command: one sentence, or one JSON object, and exit status 1, without a traceback."""

import errno
import json
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from webapp.config import UnsafeSettingError
from webapp.ledger.errors import LedgerError

NOT_REPORTED = "What the command did not report as done has not changed the books."
TRY_AGAIN = "Run it again when the database answers."


USAGE = click.UsageError.exit_code


class FailedError(click.ClickException):
    """A failure of a command: a sentence, and for programs the code and details as in the API."""

    def __init__(self, message: str, code: str, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = dict(details or {})


def stopped() -> FailedError:
    """Say that a person stopped the command."""
    return FailedError(f"The command was stopped. {NOT_REPORTED}", "stopped")


def in_plain_words(command: click.Command) -> click.Command:
    """End every failure of a command, or of a group's commands, in a sentence and exit status 1."""
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        in_plain_words(each)
    run = command.callback
    if run is None:
        return command

    @wraps(run)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(*args, **kwargs)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            raise stopped() from None
        except Exception as error:
            if getattr(error, "errno", None) == errno.EPIPE:
                # Whoever reads the output has enough; click ends without a word then.
                raise
            raise _outside_fault(error) or _own_fault(error) from error

    command.callback = guarded
    return command


def _outside_fault(error: Exception) -> FailedError | None:
    """Say what is true and what to do, or nothing for a fault of the program."""
    if isinstance(error, LedgerError):
        return FailedError(str(error), error.code, error.details)
    if isinstance(error, UnsafeSettingError):
        return FailedError(str(error), "unsafe_setting")
    return _fault_of_the_database(error) or _fault_of_the_machine(error)


def _fault_of_the_database(error: Exception) -> FailedError | None:
    if _is_lost_connection(error):
        return FailedError(
            f"The connection to the database was lost ({_first_line(error)}). A step that ended at that moment"
            " may be in the books: look there before you run the command again.",
            "unknown_outcome",
        )
    if _is_of_the_database(error):
        sentence = f"The database failed ({_first_line(error)}). {NOT_REPORTED} {TRY_AGAIN}"
        return FailedError(sentence, "database_failed")
    return None


def _fault_of_the_machine(error: Exception) -> FailedError | None:
    if isinstance(error, MemoryError):
        sentence = f"This machine has too little memory for the command. {NOT_REPORTED}"
        return FailedError(sentence, "out_of_memory")
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        return FailedError(f"{name}{error.strerror or error}. {NOT_REPORTED}", "system_failed")
    return None


def _is_lost_connection(error: Exception) -> bool:
    return bool(getattr(error, "connection_invalidated", False)) or (
        _is_of_the_database(error) and "server closed the connection" in str(error)
    )


def _is_of_the_database(error: Exception) -> bool:
    """Return whether the database failed, and not a statement, by the common names of drivers (PEP 249)."""
    names = {each.__name__ for each in type(error).__mro__}
    return "OperationalError" in names or type(error).__name__ == "DatabaseError"


def _first_line(error: Exception) -> str:
    return (str(getattr(error, "orig", None) or error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _own_fault(error: Exception) -> FailedError:
    """Ask for a report of our own fault, with details in a file or, with `--traceback`, on standard error."""
    details = "".join(traceback.format_exception(error))
    if click.get_current_context().find_root().params.get("traceback"):
        click.echo(details, err=True)
        sentence = f"The program failed, as shown above. {NOT_REPORTED} Please report this."
    else:
        sentence = (
            f"The program failed ({type(error).__name__}). {NOT_REPORTED} Please report this,"
            f" with the details that {_kept(details)}."
        )
    return FailedError(sentence, "program_failed")


def _kept(details: str) -> str:
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="tieout-failure-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(details)
        return f"are in {Path(file.name)}"
    except OSError:
        return "tieout --traceback shows"


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
