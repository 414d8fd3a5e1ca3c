"""Tax: codes with their shares, amounts, boxes, parts of items, periods, and what reaches a return late."""
