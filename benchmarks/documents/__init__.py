"""What documents cost: filing many of them, questions over a hundred thousand, and hostile ones."""
