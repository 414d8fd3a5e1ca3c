"""What is owed: which open items a payment may settle, on what evidence, and how old they are."""
