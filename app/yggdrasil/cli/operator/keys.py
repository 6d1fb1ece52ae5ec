"""``yggdrasil key``: who may come in over HTTP."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import Json, help_alone
from ..screen import Screen

if TYPE_CHECKING:
    from yggdrasil_infra.http.keys import Entry

app = typer.Typer(
    help="""Make, show and revoke the keys of `yggdrasil serve`.

A key opens the memories of one tenant and has roles: append (record what happens), read (ask, which is noticed), audit
(read without a trace, and prove), operate (decide: pin, sleep, change the policy). The file holds only hashes; a
service that uses it sees a change within a second.

\b
Examples:
  yggdrasil key new --keys keys.json --tenant me --role append --role read
  yggdrasil key list --keys keys.json
""",
    short_help="Make, show and revoke the keys of the service.",
)

KeyFile = Annotated[
    Path,
    typer.Option("--keys", envvar="YGGDRASIL_KEYS", metavar="FILE", help="The file of keys; it is made if need be."),
]


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    help_alone(context)


@app.command("new")
def new(
    keys: KeyFile,
    tenant: Annotated[str, typer.Option("--tenant", metavar="NAME", help="Whose memories it opens; '*' opens all.")],
    role: Annotated[
        list[str], typer.Option("--role", help="append, read, audit or operate; may be given several times.")
    ],
    name: Annotated[str | None, typer.Option("--name", help="Who it is for: the source of what it appends.")] = None,
    origin: Annotated[
        str, typer.Option("--origin", help="Who stands behind it: agent, user, tool or import.")
    ] = "agent",
    json: Json = False,
) -> None:
    """Make a key and print it, once: the file keeps only a hash of it.

    \b
    Examples:
      KEY=$(yggdrasil key new --keys keys.json --tenant me --role append --role read --name planner)
      yggdrasil key new --keys keys.json --tenant '*' --role audit --name auditor
    """
    from yggdrasil_infra.http.keys import new_key

    entry, key = new_key(keys, tenant, role, tenant.replace("*", "operator") if name is None else name, origin)
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

    found = [_shown(entry) for entry in read(keys).keys]
    rows = [[one["id"], one["name"], one["tenant"], " ".join(one["roles"]), one["origin"]] for one in found]
    screen = Screen(json)
    screen.result(found, lambda: screen.table(["id", "name", "tenant", "roles", "origin"], rows))


@app.command("revoke")
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


def _shown(entry: "Entry") -> dict[str, Any]:
    return entry.model_dump(exclude={"blake2b"})
