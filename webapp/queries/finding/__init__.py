"""Finding something in the books by what a person types: by name, by code, by number, by words, by amount."""

from webapp.queries.finding import lines, names, records
