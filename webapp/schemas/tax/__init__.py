"""The schemas of taxes."""
