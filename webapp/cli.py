"""The `tieout` command: what an operator does with the books from a shell."""

# ruff: noqa: E402  (what has to be done before the imports)
import gc
import os

# What is imported lives as long as the process, and to look for garbage among it takes a sixth of a start: then, or
# when it is looked for again.
gc.disable()

from importlib import import_module
from typing import Final

import click

from webapp.commands.failures import JsonErrors, in_plain_words

# Each command with the module that has it, in the order in which they are listed.
PLACES: Final = {
    "serve": "serving:serve",
    "worker": "worker:worker",
    "migrate": "serving:migrate",
    "upgrade": "upgrading:upgrade",
    "distribute": "serving:distribute",
    "create-organization": "organizations:create_organization",
    "organizations": "organizations:list_organizations",
    "create-token": "tokens:create_token",
    "tokens": "tokens:tokens_group",
    "oauth-client": "clients:oauth_client",
    "set-password": "organizations:set_password",
    "import": "imports:import_files",
    "push": "pushes:push",
    "feeds": "pushes:feeds_group",
    "watch": "files:watch",
    "drop-folder": "files:drop_folder",
    "delete-old-files": "files:delete_old_files",
    "fetch-rates": "rates:fetch_rates",
    "revalue": "rates:revalue",
    "vault": "tokens:vault_group",
    "export": "inspection:export",
    "backup": "backups:backup",
    "restore": "backups:restore",
    "demo": "demo:demo",
    "check": "inspection:check",
    "doctor": "doctor:doctor",
    "health": "doctor:health",
    "audit-file": "inspection:audit_file",
    "verify-proof": "proofs:verify_proof",
    "whoami": "inspection:whoami",
    "mcp": "stdio.relay:mcp",
}


class Commands(JsonErrors):
    """The commands, each imported when it is run or shown: a worker that runs for months has no other in memory."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of all, as `PLACES` has them."""
        del ctx
        return list(PLACES)

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        """Import a command; none where there is no such name."""
        del ctx
        if cmd_name in PLACES and cmd_name not in self.commands:
            gc.disable()
            module, _, name = PLACES[cmd_name].partition(":")
            found: click.Command = getattr(import_module(f"webapp.commands.{module}"), name)
            self.add_command(in_plain_words(found), cmd_name)
            gc.freeze()
            gc.enable()
        return self.commands.get(cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tieout", message="tieout %(version)s")
@click.option("--traceback", is_flag=True, help="Show the details where the program itself fails.")
def main(*, traceback: bool) -> None:
    """Tieout: from a bank's file to a proof."""
    del traceback  # webapp/commands/failures asks the context for it
    os.umask(0o077)


gc.freeze()
gc.enable()

if __name__ == "__main__":
    main()
