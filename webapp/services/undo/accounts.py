"""The inverses of acts on accounts, merchants, projects, bank accounts, the lock date, the financial year and rates."""

from calendar import month_name
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, cast

from webapp.ledger.canonical import camel
from webapp.models import Account, ActionRequest, FeedAccount, Merchant, Project, ProjectGroup
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts as account_queries
from webapp.queries.accounts import projects as project_queries
from webapp.queries.common import lookups
from webapp.queries.currencies import exchange_rates as rate_queries
from webapp.queries.journal import lock_exceptions
from webapp.services.accounts import accounts, feed_accounts, merchants, projects
from webapp.services.accounts.feed_accounts import FeedAccountChanges
from webapp.services.audit.field_changes import facts
from webapp.services.bookkeeping import exchange_rates, financial_years, lock_dates
from webapp.services.bookkeeping.exchange_rates import RateInput
from webapp.services.imports.removal import unused_accounts
from webapp.services.undo.reasons import ChangedSinceError, Undoing, require_same, stay

Named = Account | Merchant | Project | ProjectGroup
Step = Callable[[Undoing, ActionRequest], str]
# What may be changed of a feed account, by its name in the audit trail.
FEED_NAMES = {
    camel(name): name
    for name in (
        "name",
        "account_id",
        "type",
        "external_id",
        "mask",
        "institution_name",
        "institution_url",
        "is_active",
        "splits_batches",
    )
}


def archive_account(undoing: Undoing, request: ActionRequest) -> str:
    """Archive an account that was opened and that no posting names."""
    account = lookups.get(Account, undoing.actor.organization_id, undoing.target_id(request))
    require_same(facts(account, accounts.FACTS), request.after)
    if account_queries.has_postings(account):
        stay(f"{account.name} is used, so it stays.")
    accounts.update(account, {"is_archived": True}, **undoing.by)
    return f"Archive {account.name}, which is not used."


def delete_merchant(undoing: Undoing, request: ActionRequest) -> str:
    """Delete a merchant that was made and that nothing names."""
    merchant = lookups.get(Merchant, undoing.actor.organization_id, undoing.target_id(request))
    require_same(facts(merchant, merchants.FACTS), request.after)
    merchants.delete(merchant, **undoing.by)
    return f"Delete {merchant.name}, which is not used."


def separate_merchant(undoing: Undoing, request: ActionRequest) -> str:
    """Separate a merchant that was merged."""
    merchant = lookups.get(Merchant, undoing.actor.organization_id, undoing.target_id(request))
    require_same(facts(merchant, merchants.MERGE_FACTS), request.after)
    merchants.separate(merchant, **undoing.by)
    return f"Separate {merchant.name} again."


def merge_merchant_again(undoing: Undoing, request: ActionRequest) -> str:
    """Merge a merchant that was separated, as it was merged before."""
    merchant = lookups.get(Merchant, undoing.actor.organization_id, undoing.target_id(request))
    require_same(facts(merchant, merchants.MERGE_FACTS), request.after)
    before = request.before or {}
    into_id, through_id = (
        before[name] and undoing.present_id("merchant", before[name])
        for name in ("mergedIntoId", "mergedThroughId")
    )
    merchants.merge(merchant, into_id, through_id=through_id, **undoing.by)
    return f"Merge {merchant.name} again."


def delete_project(undoing: Undoing, request: ActionRequest) -> str:
    """Delete a project that was made and that nothing names."""
    project = lookups.get(Project, undoing.actor.organization_id, undoing.target_id(request))
    require_same(facts(project, projects.FACTS), request.after)
    projects.delete(project, **undoing.by)
    return f"Delete {project.name}, which is not used."


def bring_project_back(undoing: Undoing, request: ActionRequest) -> str:
    """Make a deleted project again."""
    before = request.before or {}
    group_id = before["groupId"] and undoing.present_id("project_group", before["groupId"])
    project = projects.create(name=before["name"], emoji=before["emoji"], group_id=group_id, **undoing.by)
    undoing.move("project", int(request.target_id), project.id)
    return f"Create the project {project.name} again."


def delete_group(undoing: Undoing, request: ActionRequest) -> str:
    """Delete a group that was made and that holds nothing."""
    group = lookups.get(ProjectGroup, undoing.actor.organization_id, undoing.target_id(request))
    require_same(facts(group, projects.GROUP_FACTS), request.after)
    if project_queries.of_group(group):
        stay(f"There are projects in {group.name}, so it stays.")
    projects.delete_group(group, **undoing.by)
    return f"Delete the group {group.name}, which is empty."


def bring_group_back(undoing: Undoing, request: ActionRequest) -> str:
    """Make a deleted group again, around those of its projects that are in no other by now."""
    before = request.before or {}
    group = projects.create_group(name=before["name"], emoji=before["emoji"], **undoing.by)
    undoing.move("project_group", int(request.target_id), group.id)
    ids = [undoing.present_id("project", each) for each in before["projectIds"]]
    found = lookups.by_id(Project, group.organization_id, ids).values()
    for project in sorted(found, key=lambda each: each.id):
        if project.group_id is None:
            projects.update(project, {"group_id": group.id}, **undoing.by)
    return f"Create the group {group.name} again, with its projects."


def deactivate_feed_account(undoing: Undoing, request: ActionRequest) -> str:
    """Deactivate a feed account that was opened and that has no lines."""
    account = _feed(undoing, request)
    require_same(feed_accounts.state(account), request.after)
    if unused_accounts.is_used(account):
        stay(f"Lines or statements of {account.name} are in the books, so it stays.")
    feed_accounts.edit(account, {"is_active": False}, **undoing.by)
    return f"Deactivate {account.name}, which has no lines."


def unchange_feed_account(undoing: Undoing, request: ActionRequest) -> str:
    """Restore a feed account as it was before a change."""
    account = _feed(undoing, request)
    before, after = request.before or {}, request.after or {}
    differing = [name for name in FEED_NAMES if before.get(name) != after.get(name)]
    require_same(feed_accounts.state(account), {name: after.get(name) for name in differing})
    changes = {FEED_NAMES[name]: before.get(name) for name in differing}
    feed_accounts.edit(account, cast("FeedAccountChanges", changes), **undoing.by)
    return f"Restore {account.name} as it was before."


def move_lock_back(undoing: Undoing, request: ActionRequest) -> str:
    """Move the lock date back to the day from before."""
    organization = organizations.get(undoing.actor.organization_id)
    before, after = request.before or {}, request.after or {}
    present = organization.lock_date and organization.lock_date.isoformat()
    require_same({"lockDate": present}, {"lockDate": after.get("lockDate")})
    day = before["lockDate"] and date.fromisoformat(before["lockDate"])
    lock_dates.move(organization, day or None, reason=undoing.reason, **undoing.by)
    closed = f"Close the books up to {day:%-d %b %Y} again" if day else "Open the books again"
    moved = after.get("movedDrafts")
    return f"{closed}; {moved} drafts stay on the day that they were moved to." if moved else f"{closed}."


def move_adjustments_back(undoing: Undoing, request: ActionRequest) -> str:
    """Move the lock of adjusting entries back to the day from before."""
    organization = organizations.get(undoing.actor.organization_id)
    before, after = request.before or {}, request.after or {}
    present = organization.adjustments_lock_date and organization.adjustments_lock_date.isoformat()
    require_same({"adjustmentsLockDate": present}, after)
    day = before["adjustmentsLockDate"] and date.fromisoformat(before["adjustmentsLockDate"])
    lock_dates.move_adjustments(organization, day or None, reason=undoing.reason, **undoing.by)
    return f"Close adjusting entries up to {day:%-d %b %Y} again." if day else "Open adjusting entries again."


def end_exception(undoing: Undoing, request: ActionRequest) -> str:
    """End an exception from the lock."""
    found = lock_exceptions.get(undoing.actor.organization_id, int(request.target_id))
    lock_dates.end_exception(found, **undoing.by)
    return "End the exception from the lock; what was dated by it stays."


def unchange_financial_year(undoing: Undoing, request: ActionRequest) -> str:
    """Begin the financial year with the month from before, unless a year that it made is locked since."""
    organization = organizations.get(undoing.actor.organization_id)
    before, years = request.before or {}, organizations.financial_years(organization.id)
    require_same(financial_years.facts(years), request.after)
    earlier = years.changed(before["firstMonth"], organization.lock_date)
    if financial_years.facts(earlier) != before:
        stay(
            "A financial year that began with this month is locked; change the first month from the next year on."
        )
    financial_years.change(organization, before["firstMonth"], **undoing.by)
    return f"Begin the financial year with {month_name[before['firstMonth']]} again."


def restore_rates(undoing: Undoing, request: ActionRequest) -> str:
    """Restore the rates that were replaced."""
    written, replaced = _rates(request.payload["rates"]), _rates((request.before or {})["rates"])
    if {_day(each) for each in written} != {_day(each) for each in replaced}:
        stay("A rate of a day that had none stays; set the right one in its place.")
    days = [each["day"] for each in written]
    codes = {each["currency"] for each in written}
    present = rate_queries.between(undoing.actor.organization_id, codes, min(days), max(days))
    if any(present[_day(each)][0] != each["units_per_base"] for each in written):
        raise ChangedSinceError
    exchange_rates.put(replaced, **undoing.by)
    return "Restore the earlier rates."


def _unchanging(model: type[Named], names: Sequence[str], update: Callable[..., object]) -> Step:
    """Make the inverse of a change of an account, merchant, project or group."""

    def unchange(undoing: Undoing, request: ActionRequest) -> str:
        row = lookups.get(model, undoing.actor.organization_id, undoing.target_id(request))
        require_same(facts(row, tuple(names)), request.after)
        before: Mapping[str, Any] = request.before or {}
        changes = {name: before[camel(name)] for name in names if camel(name) in before}
        if changes.get("group_id") is not None:
            changes["group_id"] = undoing.present_id("project_group", changes["group_id"])
        if changes.get("items_from") is not None:
            changes["items_from"] = date.fromisoformat(changes["items_from"])
        update(row, changes, **undoing.by)
        return f"Restore {row.name} as it was before."

    return unchange


unchange_account = _unchanging(Account, accounts.FACTS, accounts.update)
unchange_merchant = _unchanging(Merchant, merchants.FACTS, merchants.update)
unchange_project = _unchanging(Project, projects.FACTS, projects.update)
unchange_group = _unchanging(ProjectGroup, projects.GROUP_FACTS, projects.update_group)


def _feed(undoing: Undoing, request: ActionRequest) -> FeedAccount:
    return lookups.get(FeedAccount, undoing.actor.organization_id, undoing.target_id(request))


def _rates(stored: Sequence[Mapping[str, str]]) -> list[RateInput]:
    return [
        {
            "day": date.fromisoformat(each["day"]),
            "currency": each["currency"],
            "units_per_base": Decimal(each["unitsPerBase"]),
            "source": each.get("source", "put back"),
        }
        for each in stored
    ]


def _day(rate: RateInput) -> tuple[date, str]:
    return rate["day"], rate["currency"]
