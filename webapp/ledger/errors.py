"""The base of all errors: code, status, and a sentence on what is true and what to do."""

from collections.abc import Mapping, Sequence
from inspect import cleandoc
from typing import ClassVar


class LedgerError(Exception):
    """This does not fit the state of the books; look at them again and retry."""

    status: ClassVar[int] = 409
    code: str = "conflict"
    # Of an error whose code depends on the state that it reports: each code, and the sentence that is usual for it.
    codes: ClassVar[Mapping[str, str]] = {}
    # Whether reading can meet it too; most rules of the ledger are met by writes alone.
    is_read: ClassVar[bool] = False
    # The paths of its answer that may quote the text of a bank, a file or a document.
    untrusted: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        message: str | None = None,
        *,
        details: Mapping[str, object] | None = None,
        fields: Mapping[str, Sequence[str]] | None = None,
        code: str | None = None,
    ) -> None:
        """Take `message`, else the class's docstring; `fields` maps a path of the input to its messages.

        `code` is for errors with several `codes`.
        """
        if code is not None:
            self.code = code
        self.message = message or cleandoc(type(self).__doc__ or LedgerError.__doc__ or "")
        self.details = dict(details or {})
        self.fields = {path: list(messages) for path, messages in (fields or {}).items()}
        super().__init__(self.message)


class NotFoundError(LedgerError):
    """There is nothing here."""

    status = 404
    code = "not_found"

    def __init__(self) -> None:
        """Take no message, so that no answer reveals the owner of an id."""
        super().__init__()


class PreconditionError(LedgerError):
    """The condition of this request does not hold; read the record again."""

    status = 412
    code = "stale_version"


class UnprocessableError(LedgerError):
    """The input is well formed but breaks a rule of the books; change it and send it again."""

    status = 422
    code = "unprocessable"
