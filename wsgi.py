"""Where a WSGI server finds the application, and `flask --app wsgi` the commands of `tieout`."""

import gc

from webapp import create_app
from webapp.cli import COMMANDS

app = create_app()
for command in COMMANDS:
    app.cli.add_command(command)

# What is there now stays as long as the process. Were it looked through again whenever much was made, as by a rule
# that matches every line, a third of the time would go into that.
gc.collect()
gc.freeze()
