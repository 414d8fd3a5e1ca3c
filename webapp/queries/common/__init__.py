"""Looking up, paging, searching, and what changed since an instant."""
