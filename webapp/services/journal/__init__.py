"""Journal entries: drafts, posting, corrections, exchange differences, and the legs opposite a bank line."""

from webapp.services.audit import locked_figures
from webapp.services.audit.act import CLOSINGS
from webapp.services.journal import realisations, settled_items

# Everything that can post has imported this package, so that no act ends without these, in this order.
CLOSINGS.extend(
    (
        settled_items.write_anew,
        settled_items.part_separated,
        realisations.settle_nil_items,
        realisations.realise,
        realisations.warn_of_stale,
        locked_figures.check,
    )
)
