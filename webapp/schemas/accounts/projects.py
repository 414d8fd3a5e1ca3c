"""The schemas of projects and their groups, as in the interface document."""

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import DocumentedSchema, Schema
from webapp.schemas.paging import JoinedIds, PageSchema


class ProjectGroupSummarySchema(Schema):
    """A group in the record of a project; `emoji` is null without one."""

    id = fields.Id(Kind.PROJECT_GROUP)
    name = ma.fields.String()
    emoji = ma.fields.Function(lambda group: group.emoji or None, metadata={"type": ["string", "null"]})


class ProjectSchema(Schema):
    """A project; every key is always sent."""

    id = fields.Id(Kind.PROJECT)
    organization_id = ma.fields.String()
    name = ma.fields.String()
    emoji = ma.fields.String(allow_none=True)
    group_id = fields.Id(Kind.PROJECT_GROUP, allow_none=True)
    group = ma.fields.Nested(ProjectGroupSummarySchema, allow_none=True)
    created_at = fields.Timestamp()
    updated_at = fields.Timestamp()


class ProjectGroupSchema(Schema):
    """A group; `emoji` is an empty string without one."""

    id = fields.Id(Kind.PROJECT_GROUP)
    name = ma.fields.String()
    emoji = ma.fields.String()
    organization_id = ma.fields.String()
    created_at = fields.Timestamp()
    updated_at = fields.Timestamp()


class ProjectQuerySchema(PageSchema):
    """Which projects to list."""

    group_id = fields.FormId(load_default=None)
    ids = JoinedIds(Kind.PROJECT, load_default=())


class NewProjectSchema(Schema):
    """A new project."""

    name = fields.Name(required=True)
    emoji = fields.Emoji(allow_none=True, load_default=None)
    group_id = fields.Id(Kind.PROJECT_GROUP, allow_none=True, load_default=None)


class ProjectChangesSchema(Schema):
    """The changed fields of a project; the others stay as they are."""

    name = fields.Name()
    emoji = fields.Emoji(allow_none=True)
    group_id = fields.Id(Kind.PROJECT_GROUP, allow_none=True)


class ProjectFormSchema(NewProjectSchema):
    """A project from a form."""

    group_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]


class NewProjectGroupSchema(DocumentedSchema):
    """A new group, as in the interface document."""

    name = fields.Text(least=1, most=255, is_plain=True, required=True)
    emoji = fields.Emoji(allow_none=True, load_default=None)


class ProjectGroupFormSchema(Schema):
    """A group from a form."""

    name = fields.Name(required=True)
    emoji = fields.Emoji(allow_none=True, load_default=None)


class ProjectGroupChangesSchema(Schema):
    """The changed fields of a group; the others stay as they are."""

    name = fields.Name()
    emoji = fields.Emoji(allow_none=True)
