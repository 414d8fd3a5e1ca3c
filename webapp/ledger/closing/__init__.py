"""Closes of months, and amounts that fall due in parts."""
