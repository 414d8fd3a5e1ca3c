"""Organizations, members, sessions, a person's own sign-in, API tokens and their caps."""

from webapp.services.access import (
    connections,
    invitations,
    organizations,
    own_sign_in,
    passkeys,
    saved_views,
    sessions,
    tokens,
    users,
)
