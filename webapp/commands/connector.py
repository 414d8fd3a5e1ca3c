"""What a chat client does to connect, played from outside: the first step that would fail, and what mends it."""

import http.client
import json
import re
import secrets
import ssl
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode, urlsplit

from webapp.queries.access.clients import SHIPPED
from webapp.services.access.connections import challenge_of
from webapp.services.operating.machine import Symptom

SECONDS: Final = 10
MOST_BYTES: Final = 64 * 1024
PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
SET_URL: Final = "Set PUBLIC_URL to {origin} and start the server again."
EVERY_PATH: Final = "Pass every path on, in nginx: location / {{ proxy_pass http://127.0.0.1:8000; }}"
OF_PROXY: Final = "Set PUBLIC_URL to {origin}; the client has to be told {origin}/mcp, letter by letter."


class ConnectorAnswer(NamedTuple):
    """An answer: its status, its headers by lower-case name, and its JSON, if it is an object."""

    status: int
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class StepError(Exception):
    """A client would go no further: what is wrong, and what mends it."""

    def __init__(self, code: str, sentence: str, mend: str) -> None:
        super().__init__(sentence)
        self.symptom = Symptom(code, sentence, mend)


def examine(address: str) -> Iterator[Symptom]:
    """Find the first step of connecting at which a client would fail; none if all of them work."""
    try:
        _walk(address)
    except StepError as error:
        yield error.symptom


def _walk(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in {"https", "http"} or not parts.hostname:
        raise StepError(
            "no_address", f"{address} is no address.", "Write it like https://books.example.org/mcp."
        )
    origin = f"{parts.scheme}://{parts.netloc}"
    metadata = _challenge(address, origin)
    _challenge(address, origin, token="tie_of_the_doctor")  # noqa: S106  (nobody's)
    resource = _document(metadata, origin)
    if resource.get("resource") != address:
        named = resource.get("resource")
        raise StepError(
            "resource", f"The server says that it is {named}, not {address}.", _mend(OF_PROXY, origin)
        )
    for issuer in resource.get("authorization_servers", [])[:1]:
        _authorize(
            _document(f"{issuer}/.well-known/oauth-authorization-server", origin), issuer, address, origin
        )


def _challenge(address: str, origin: str, token: str | None = None) -> str:
    """Ask without a valid token; answers where the metadata is."""
    answer = _ask("POST", address, origin, body=json.dumps(PING), kind="application/json", token=token)
    said = dict(re.findall(r'(\w+)="([^"]*)"', answer.headers.get("www-authenticate", "")))
    if answer.status == http.client.BAD_REQUEST and "TRUSTED_HOSTS" in str(answer.body.get("error")):
        host = urlsplit(origin).hostname
        raise StepError(
            "untrusted_host", f"The server does not serve {host}.", f"Add {host} to TRUSTED_HOSTS."
        )
    if answer.status != http.client.UNAUTHORIZED:
        raise StepError(
            "not_reached", f"{address} answers {answer.status} instead of 401.", EVERY_PATH.format()
        )
    scheme = answer.headers.get("www-authenticate", "Bearer").partition(" ")[0]
    if scheme.lower() != "bearer":
        sentence = f"The proxy asks for a sign-in of its own ({scheme})."
        mend = "Let everybody reach the server, in nginx: auth_basic off; Tieout asks who they are."
        raise StepError("another_sign_in", sentence, mend)
    if token is not None and said.get("error") != "invalid_token":
        mend = "Pass the header on, in nginx: proxy_set_header Authorization $http_authorization;"
        raise StepError("no_authorization", "The header Authorization does not reach the server.", mend)
    if "resource_metadata" not in said:
        has_challenge = "www-authenticate" in answer.headers
        mend = _mend(SET_URL, origin) if has_challenge else "Let the proxy pass WWW-Authenticate on."
        raise StepError("no_metadata", "The refusal does not say where tokens are had.", mend)
    return str(said["resource_metadata"])


def _document(address: str, origin: str) -> Mapping[str, Any]:
    if not address.startswith(f"{origin}/"):
        named = urlsplit(address)
        sentence = f"The server says that it is at {named.scheme}://{named.netloc}."
        raise StepError("other_address", sentence, _mend(SET_URL, origin))
    answer = _ask("GET", address, origin)
    if answer.status != http.client.OK or not answer.body:
        raise StepError("no_document", f"{address} answers {answer.status}.", EVERY_PATH.format())
    return answer.body


def _authorize(server: Mapping[str, Any], issuer: str, resource: str, origin: str) -> None:
    """Go as far as the sign-in of a person, and redeem a code that nobody was given."""
    if server.get("issuer") != issuer:
        raise StepError(
            "issuer", f"The issuer is {server.get('issuer')}, not {issuer}.", _mend(SET_URL, origin)
        )
    if "none" not in server.get("token_endpoint_auth_methods_supported", []):
        raise StepError("methods", "The server takes no client without a secret.", "Install Tieout anew.")
    client, verifier = json.loads(SHIPPED.read_text(encoding="utf-8"))[0], secrets.token_urlsafe(48)
    asked = {
        "response_type": "code",
        "client_id": client["clientId"],
        "redirect_uri": client["redirects"][0],
        "code_challenge": challenge_of(verifier),
        "code_challenge_method": "S256",
        "resource": resource,
    }
    address = f"{server['authorization_endpoint']}?{urlencode(asked)}"
    answer = _ask("GET", address, origin, may_redirect=True)
    if answer.status != http.client.SEE_OTHER or "/sign-in" not in answer.headers.get("location", ""):
        sentence = f"The page for people answers {answer.status} instead of the sign-in."
        raise StepError("no_sign_in", sentence, EVERY_PATH.format())
    form = {"grant_type": "authorization_code", "code": "of the doctor", "code_verifier": verifier}
    answer = _ask(
        "POST",
        server["token_endpoint"],
        origin,
        body=urlencode(form),
        kind="application/x-www-form-urlencoded",
    )
    if answer.body.get("error") != "invalid_grant":
        sentence = f"A wrong code is answered {answer.status} instead of as invalid_grant."
        raise StepError("no_tokens", sentence, EVERY_PATH.format())


def _ask(
    method: str,
    address: str,
    origin: str,
    *,
    body: str | None = None,
    kind: str = "",
    token: str | None = None,
    may_redirect: bool = False,
) -> ConnectorAnswer:
    parts = urlsplit(address)
    headers = {"Accept": "application/json, text/event-stream", **({"Content-Type": kind} if kind else {})}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    secure = parts.scheme == "https"
    connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = connect(parts.netloc, timeout=SECONDS)
    try:
        connection.request(
            method, f"{parts.path}?{parts.query}" if parts.query else parts.path, body, headers
        )
        response = connection.getresponse()
        answer = ConnectorAnswer(
            response.status, {k.lower(): v for k, v in response.getheaders()}, _object(response)
        )
    except ssl.SSLError as error:
        raise StepError(
            "certificate", f"{origin} has no valid certificate: {error.reason}.", "Renew it."
        ) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        mend = "Start the server and its proxy, and let the firewall pass it."
        raise StepError("no_answer", f"{origin} does not answer ({error}).", mend) from error
    finally:
        connection.close()
    if 300 <= answer.status < 400 and not may_redirect:  # noqa: PLR2004  (redirects)
        to = answer.headers.get("location", "")
        mend = (
            f"Tell the client the address that is not redirected, or take the redirect out of the proxy: {to}"
        )
        raise StepError("redirected", f"{address} redirects, which clients do not follow.", mend)
    return answer


def _object(response: http.client.HTTPResponse) -> Mapping[str, Any]:
    try:
        found = json.loads(response.read(MOST_BYTES))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _mend(words: str, origin: str) -> str:
    return words.format(origin=origin)
