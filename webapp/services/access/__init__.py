"""Organizations, members, sessions, a person's own sign-in, API tokens, their caps, and clients that connect."""

from webapp.services.access import (
    clients,
    connections,
    invitations,
    letters,
    oidc,
    organizations,
    own_sign_in,
    passkeys,
    saved_views,
    second_factors,
    sessions,
    tokens,
    users,
)
