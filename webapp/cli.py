"""The `tieout` command: what an operator does with the books from a shell."""

# ruff: noqa: E402  (what has to be done before the imports)
import gc
import os

# What is imported lives as long as the process, and to look for garbage among it takes a sixth of a start: then, or
# when it is looked for again.
gc.disable()

import click

from webapp.commands.backups import backup, restore
from webapp.commands.clients import oauth_client
from webapp.commands.demo import demo
from webapp.commands.doctor import doctor, health
from webapp.commands.failures import JsonErrors, in_plain_words
from webapp.commands.files import delete_old_files, drop_folder, watch
from webapp.commands.imports import import_files
from webapp.commands.inspection import audit_file, check, export, whoami
from webapp.commands.organizations import create_organization, list_organizations, set_password
from webapp.commands.proofs import verify_proof
from webapp.commands.pushes import push
from webapp.commands.rates import fetch_rates, revalue
from webapp.commands.serving import distribute, migrate, serve
from webapp.commands.stdio.relay import mcp
from webapp.commands.tokens import create_token, tokens_group, vault_group
from webapp.commands.upgrading import upgrade
from webapp.commands.worker import worker

COMMANDS = tuple(
    in_plain_words(each)
    for each in (
        serve,
        worker,
        migrate,
        upgrade,
        distribute,
        create_organization,
        list_organizations,
        create_token,
        tokens_group,
        oauth_client,
        set_password,
        import_files,
        push,
        watch,
        drop_folder,
        delete_old_files,
        fetch_rates,
        revalue,
        vault_group,
        export,
        backup,
        restore,
        demo,
        check,
        doctor,
        health,
        audit_file,
        verify_proof,
        whoami,
        mcp,
    )
)


@click.group(cls=JsonErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tieout", message="tieout %(version)s")
@click.option("--traceback", is_flag=True, help="Show the details where the program itself fails.")
def main(*, traceback: bool) -> None:
    """Tieout: from a bank's file to a proof."""
    del traceback  # webapp/commands/failures asks the context for it
    os.umask(0o077)


for command in COMMANDS:
    main.add_command(command)
gc.freeze()
gc.enable()

if __name__ == "__main__":
    main()
