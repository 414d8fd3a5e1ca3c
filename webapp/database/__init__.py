"""The database: all that knows a dialect, and how a connection, a session and a transaction begin and end.

From bottom to top: `session_state`, `command_limits`, `column_types` and `functions` know nothing else. `failures`
names what a driver reports. `pooling` and `tenancy` say what a connection and a transaction begin with. `roles` keeps
PostgreSQL's roles. `sqlite` and `postgresql` prepare an engine. `sessions` has the base class of models and the
sessions on the books.
"""
