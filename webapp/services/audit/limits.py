"""How much one act may do: others' writes wait until it ends, and should wait for a second at most."""

from dataclasses import dataclass

from webapp.ledger.errors import UnprocessableError


class ActTooLargeError(UnprocessableError):
    """This is more than fits in one act, for which others wait. Do it in parts."""

    code = "too_large"


def refuse_above(most: int, count: int, nouns: str, done: str, way: str) -> None:
    """Refuse an act on more than fits: says how many there are, how many fit, and another way."""
    if count > most:
        raise ActTooLargeError(
            f"{count:,} {nouns} are more than the {most:,} that can be {done} at once. {way}",
            details={"count": count, "most": most},
        )


@dataclass(frozen=True, slots=True)
class Bound:
    """How many of what one act may take, what is done with them, and another way for more."""

    most: int
    nouns: str
    done: str
    way: str

    def hold(self, count: int) -> None:
        """Refuse more: raises ActTooLargeError."""
        refuse_above(self.most, count, self.nouns, self.done, self.way)
