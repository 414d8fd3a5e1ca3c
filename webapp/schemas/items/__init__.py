"""The schemas of items of accounts that keep them."""
