"""What entries are booked on: the chart, the bank accounts behind it, merchants, projects."""

from webapp.services.accounts import accounts, feed_accounts, merchants, projects
