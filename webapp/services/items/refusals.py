"""Why items cannot be settled with each other, or paid by a line: the same for every act that settles."""

from webapp.ledger.errors import LedgerError, UnprocessableError


class NoOpenItemError(UnprocessableError):
    """An item is settled already, or is no open item of a watched account; read the open items again."""

    code = "no_open_item"


class SeveralAccountsError(UnprocessableError):
    """A settlement has one account and one currency; split the line by account, or settle the items of each."""

    code = "several_accounts"


class SettlementSumError(UnprocessableError):
    """The parts of a settlement do not add up to zero; change an amount, or choose other items."""

    code = "settlement_does_not_add_up"


class SeveralPartiesError(UnprocessableError):
    """A settlement has one customer or supplier; split the line by them, settle the items of each, or merge the two."""

    code = "several_parties"


class ItemTakenError(LedgerError):
    """Less is left of an item than the line is to pay of it; look at what it pays again."""

    code = "item_taken"


class PaymentFitError(UnprocessableError):
    """What the line is to pay does not fit its amount, or where it is booked; change one of the two."""

    code = "payment_does_not_fit"


class ShortfallError(UnprocessableError):
    """What is short of the items has no account, or is more than it may be; change it, or leave it open."""

    code = "shortfall"


class ShortAloneError(UnprocessableError):
    """What is short is short of items: send `short` together with all of `settles`, or leave it out."""

    code = "short_alone"


class ShortOfSeveralError(UnprocessableError):
    """What is short is of one account and party; where a line pays several, split the line by what it is short of."""

    code = "short_of_several"


class RatesApartError(LedgerError):
    """The line pays these items at a rate far from that of its day; send `force` if it is right."""

    code = "rates_apart"
