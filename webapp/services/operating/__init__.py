"""The installation itself: what will hurt, and how to mend it."""
