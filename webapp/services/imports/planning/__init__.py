"""What importing a file would do: the account of each statement, the verdict on each line, and what a person chose."""
