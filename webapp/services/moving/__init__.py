"""Moving in: tables of other programs, taken into the books."""

from webapp.services.moving import book_tables
