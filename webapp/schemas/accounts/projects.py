"""The shapes of projects and their groups, as the interface document says them."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import DocumentedSchema, Schema
from webapp.schemas.paging import PageSchema


class ProjectGroupSummarySchema(Schema):
    """A group as its projects name it; without an emoji that is null."""

    id = fields.Id()
    name = ma.fields.String()
    emoji = ma.fields.Function(lambda group: group.emoji or None)


class ProjectSchema(Schema):
    """A project; every key is always sent."""

    id = fields.Id()
    organization_id = ma.fields.String()
    name = ma.fields.String()
    emoji = ma.fields.String(allow_none=True)
    group_id = fields.Id(allow_none=True)
    group = ma.fields.Nested(ProjectGroupSummarySchema, allow_none=True)
    created_at = fields.Instant()
    updated_at = fields.Instant()


class ProjectGroupSchema(Schema):
    """A group; without an emoji that is the empty string."""

    id = fields.Id()
    name = ma.fields.String()
    emoji = ma.fields.String()
    organization_id = ma.fields.String()
    created_at = fields.Instant()
    updated_at = fields.Instant()


class ProjectQuerySchema(PageSchema):
    """Which projects to list."""

    group_id = fields.FormId(load_default=None)


class NewProjectSchema(Schema):
    """A project to make."""

    name = fields.Name(required=True)
    emoji = fields.Emoji(allow_none=True, load_default=None)
    group_id = fields.Id(allow_none=True, load_default=None)


class ProjectChangesSchema(Schema):
    """What to change of a project; what is not sent stays."""

    name = fields.Name()
    emoji = fields.Emoji(allow_none=True)
    group_id = fields.Id(allow_none=True)


class ProjectFormSchema(NewProjectSchema):
    """A project as a form writes it."""

    group_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]


class NewProjectGroupSchema(DocumentedSchema):
    """A group to make, as the interface document says it."""

    name = fields.Text(least=1, most=255, required=True)
    emoji = fields.Emoji(allow_none=True, load_default=None)


class ProjectGroupFormSchema(Schema):
    """A group as a form writes it."""

    name = fields.Name(required=True)
    emoji = fields.Emoji(allow_none=True, load_default=None)


class ProjectGroupChangesSchema(Schema):
    """What to change of a group; what is not sent stays."""

    name = fields.Name()
    emoji = fields.Emoji(allow_none=True)
