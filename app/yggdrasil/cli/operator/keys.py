"""``yggdrasil key``: who may come in over HTTP."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from yggdrasil_schemas.limits import TRUST_MAX

from ..options import Json, help_alone
from ..screen import Screen

if TYPE_CHECKING:
    from yggdrasil_infra.http.keys import Entry

app = typer.Typer(
    help="""Make, show and revoke the keys of `yggdrasil serve`.

A key opens the memories of one tenant, or those of some of its agents, and has roles: append (record what happens),
read (ask, which is noticed), audit (read without a trace, and prove), operate (decide: pin, sleep, change the policy),
embed (attach vectors to what others said). The file holds only hashes; a service that uses it sees a change within a
second.

\b
Examples:
  yggdrasil key new --keys keys.json --tenant me --role append --role read
  yggdrasil key list --keys keys.json
""",
    short_help="Make, show and revoke the keys of the service.",
)

_DURATION: Final = re.compile(r"([1-9][0-9]{0,5})([mhdw])")
_UNIT_MS: Final = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}

KeyFile = Annotated[
    Path,
    typer.Option("--keys", envvar="YGGDRASIL_KEYS", metavar="FILE", help="The file of keys; it is made if need be."),
]

Expires = Annotated[
    str | None,
    typer.Option(
        "--expires",
        metavar="DURATION|DATE",
        help="When it opens nothing any more: 90m, 12h, 30d, 8w, or 2027-01-31, or 2027-01-31T12:00Z. Never, unless "
        "given.",
    ),
]


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    help_alone(context)


@app.command("new")
def new(
    keys: KeyFile,
    tenant: Annotated[str, typer.Option("--tenant", metavar="NAME", help="Whose memories it opens; '*' opens all.")],
    role: Annotated[
        list[str], typer.Option("--role", help="append, read, audit, operate or embed; may be given several times.")
    ],
    name: Annotated[
        str | None, typer.Option("--name", help="Who it is for: the source of what it appends, and no other key's.")
    ] = None,
    origin: Annotated[
        str, typer.Option("--origin", help="Who stands behind it: agent, user, tool or import.")
    ] = "agent",
    agents: Annotated[
        str, typer.Option("--agents", metavar="GLOB", help="Which agents of the tenant it opens, such as 'planner-*'.")
    ] = "*",
    trust: Annotated[
        int | None,
        typer.Option("--trust", min=0, max=TRUST_MAX, help="How far it is trusted at most; 0 for what strangers say."),
    ] = None,
    expires: Expires = None,
    grant: Annotated[
        list[str] | None,
        typer.Option("--allow", "--grant", metavar="TOOL", help="A tool that has to be allowed: query_archive."),
    ] = None,
    trust_min: Annotated[
        int,
        typer.Option(
            "--trust-min", min=0, max=TRUST_MAX, help="No answer shows it what is trusted less: 2 is a user's word."
        ),
    ] = 0,
    json: Json = False,
) -> None:
    """Make a key and print it, once: the file keeps only a hash of it.

    \b
    Examples:
      KEY=$(yggdrasil key new --keys keys.json --tenant me --role append --role read --name planner)
      yggdrasil key new --keys keys.json --tenant me --role append --name guest --agents 'guest-*' --expires 30d
      yggdrasil key new --keys keys.json --tenant '*' --role audit --name auditor
      # for a tool that passes on mails and web pages: nothing that it says alone displaces anything
      yggdrasil key new --keys keys.json --tenant me --role append --name mails --origin tool --trust 0
      # for whoever acts on answers, and is to see nothing that an agent alone has said
      yggdrasil key new --keys keys.json --tenant me --role read --name payments --trust-min 2
    """
    from yggdrasil_infra.http.keys import new_key

    entry, key = new_key(keys, tenant, role, name, origin, agents, _moment(expires), trust, grant or (), trust_min)
    screen = Screen(json)
    screen.result({**_shown(entry), "key": key}, lambda: screen.tell(key))


@app.command("renew", short_help="Make a key like another one, and print it.")
def renew(
    keys: KeyFile,
    key_id: Annotated[str, typer.Argument(metavar="ID")],
    expires: Expires = None,
    json: Json = False,
) -> None:
    """Make a key like another one, with its name, and print it; revoke the other one when the new one is in use.

    \b
    Examples:
      ID=$(yggdrasil key new --keys keys.json --tenant me --role read --json | cut -d'"' -f4 | sed -n 2p)
      yggdrasil key renew --keys keys.json $ID --expires 30d
    """
    from yggdrasil_infra.http.keys import renew as make_alike

    entry, key = make_alike(keys, key_id, _moment(expires))
    screen = Screen(json)
    screen.result({**_shown(entry), "key": key}, lambda: screen.tell(key))


@app.command("list")
def show(keys: KeyFile, json: Json = False) -> None:
    """Show the keys of a file, without what opens.

    \b
    Examples:
      yggdrasil key new --keys keys.json --tenant me --role read
      yggdrasil key list --keys keys.json
    """
    from yggdrasil_infra.http.keys import read

    found = [_shown(entry) for entry in read(keys, Screen(json).warn).keys]
    rows = [
        [one["id"], one["name"], f"{one['tenant']}/{one['agents']}", " ".join(one["roles"]), one["origin"],
         _until(one["expires_ms"])]
        for one in found
    ]  # fmt: skip
    screen = Screen(json)
    screen.result(found, lambda: screen.table(["id", "name", "memories", "roles", "origin", "expires"], rows))


@app.command("revoke", short_help="Take a key out of the file: it opens nothing more.")
def revoke(keys: KeyFile, key_id: Annotated[str, typer.Argument(metavar="ID")], json: Json = False) -> None:
    """Take a key out of the file: within a second it opens nothing any more.

    \b
    Examples:
      ID=$(yggdrasil key new --keys keys.json --tenant me --role read --json | cut -d'"' -f4 | sed -n 2p)
      yggdrasil key revoke --keys keys.json $ID
    """
    from yggdrasil_infra.http.keys import revoke as take_out

    entry = take_out(keys, key_id)
    screen = Screen(json)
    screen.result(_shown(entry), lambda: screen.tell(f"revoked {entry.id} ({entry.tenant})"))


def _moment(expires: str | None) -> int | None:
    """Return when a key expires, in Unix ms. Raises BadParameter."""
    if expires is None:
        return None
    now = int(datetime.now(UTC).timestamp() * 1000)
    if found := _DURATION.fullmatch(expires):
        return now + int(found[1]) * _UNIT_MS[found[2]]
    from yggdrasil_schemas.moments import NotAMomentError, moment_ms

    try:
        at = moment_ms("expires", expires)
    except NotAMomentError as error:
        raise typer.BadParameter(f"{error}; or a duration such as 12h, 30d or 8w", param_hint="'--expires'") from error
    if at <= now:
        raise typer.BadParameter("that is over already; give a later one", param_hint="'--expires'")
    return at


def _until(expires_ms: int | None) -> str:
    if expires_ms is None:
        return "never"
    moment = datetime.fromtimestamp(expires_ms / 1000, UTC)
    return moment.strftime("%Y-%m-%d %H:%M UTC" + (", expired" if moment <= datetime.now(UTC) else ""))


def _shown(entry: "Entry") -> dict[str, Any]:
    return entry.model_dump(exclude={"blake2b"})
