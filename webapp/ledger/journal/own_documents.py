"""Whether a document is the organization's own, and the direction of its money: decided only here."""

from dataclasses import dataclass
from typing import Final

# Letters that name the country, or the union's own scheme, at the front of a VAT id.
_PREFIX: Final = 2


@dataclass(frozen=True, slots=True)
class Ourselves:
    """The organization in documents: its name, and its VAT ids if known."""

    name: str
    vat_ids: tuple[str, ...] = ()

    def are(self, name: str | None, vat_id: str | None) -> bool:
        """Return whether a party of a document is the organization.

        Its VAT id decides if we have one of the same country; otherwise its name does, in any case of letters.

        >>> ada = Ourselves("Ada Studio", ("DE111111111",))
        >>> ada.are("Ada Studio Ltd.", "DE 111 111 111"), ada.are("Ada Studio", "DE222222222")
        (True, False)
        >>> ada.are("ADA STUDIO", "FR12345678901"), ada.are("Ada Studio", None), ada.are(None, None)
        (True, True, False)
        """
        stated, own = _plain(vat_id or ""), [_plain(each) for each in self.vat_ids]
        if stated and any(each[:_PREFIX] == stated[:_PREFIX] for each in own):
            return stated in own
        return (name or "").casefold() == self.name.casefold()


def _plain(vat_id: str) -> str:
    return "".join(each for each in vat_id.upper() if each.isalnum())


def is_own(document_type: str, *, is_sender: bool) -> bool:
    """Return whether the organization wrote a document: an invoice, or a document from it that is no bill.

    >>> is_own("INVOICE", is_sender=False), is_own("BILL", is_sender=True)
    (True, False)
    >>> is_own("CREDIT_NOTE", is_sender=True), is_own("CREDIT_NOTE", is_sender=False)
    (True, False)
    """
    if document_type in ("INVOICE", "BILL"):
        return document_type == "INVOICE"
    return is_sender


def is_paid_to_us(document_type: str, total_minor: int | None, *, is_own: bool) -> bool:
    """Return whether the money of a document comes in: for our sales and for suppliers' credit notes.

    >>> is_paid_to_us("INVOICE", 100, is_own=True), is_paid_to_us("CREDIT_NOTE", 100, is_own=True)
    (True, False)
    >>> is_paid_to_us("BILL", -100, is_own=False)
    True
    """
    return is_own ^ (document_type == "CREDIT_NOTE") ^ ((total_minor or 0) < 0)
