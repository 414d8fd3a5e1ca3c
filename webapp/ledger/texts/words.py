"""Words of ours among texts of people and banks: pages write them in their language and notation."""


class Words(str):
    """A text of ours, or a figure or day, which a page translates."""

    __slots__ = ()
