"""What the summary of a call leaves out, for who has not read the code: kept short, by the name of the view."""

OF: dict[str, str] = {}
