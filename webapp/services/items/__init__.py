"""Acts on items of accounts that keep them: their due days, and lines that pay them."""

from webapp.services.items import due_days, paid_lines, payments, prepayments, shortfalls
