"""QIF: records of one account, whose days and amounts the file itself must settle."""
