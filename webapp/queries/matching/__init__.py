"""Reports of lines by feeds and files, joins of reports that are one line, and pairs that are transfers."""

from webapp.queries.matching import booked_by_hand, line_joins, transfer_pairs
