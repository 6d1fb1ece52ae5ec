"""Roles and perspectives at random: few names in few roles, that are defined again, renamed and ended."""

from dataclasses import replace
from random import Random
from typing import Any, Final

from tests.graph.commands import Said, role, stamped

ROLES: Final = ("buyer", "critic", "builder")
SEEN: Final = {"record_event": 0.6, "assert_claim": 0.6, "record_recall": 0.8, "report_use": 0.3}
"""How often what is said names perspectives."""
SOME: Final = 0.4
"""How many lives of the trials have roles."""
OFTEN: Final = {"recall": 16, "use": 24, "judge": 20, "pin": 8, "sleep": 6, "claim": 14}


class Views:
    """What the agents of one memory care about, if it has roles at all."""

    def __init__(self, rng: Random, *, seen: bool = False) -> None:
        self.any = rng.random() < SOME or seen
        self.names = [f"view{n}" for n in range(rng.choice((3, 4, 12, 12)))]
        self.defined: dict[str, list[str]] = {}
        self.constants = {
            "regard_max": rng.choice((10.0, 10.0, 3.0, 1.2)),
            "regard_use": rng.choice((0.15, 0.15, 0.8)),
            "regard_initial": rng.choice((1.0, 1.0, 3.0)),
        }

    def role(self, rng: Random, command: str) -> Said | None:
        """What a role is from now on; for the most part nothing is said of that."""
        if not self.any or (rng.random() > 0.08 and len(self.defined) > 1):
            return None
        return self.define(rng, command)

    def define(self, rng: Random, command: str) -> Said:
        """What a role is from now on."""
        name = rng.choice(ROLES)
        before, of = self.defined.get(name, []), rng.sample(self.names, min(len(self.names), rng.randint(1, 8)))
        if rng.random() < 0.12:
            of = []
        said: dict[str, dict[str, Any]] = {each: {"name": each} for each in of}
        if before and of and rng.random() < 0.5:
            old, new = rng.choice((rng.choice(before), "never")), rng.choice((*self.names, "other"))
            said[new] = {"name": new, "formerly": old}
            if rng.random() < 0.5:
                said.pop(old, None)
            elif old != "never":
                said[old] = {"name": old}
        said = dict(list(said.items())[-8:])
        if rng.random() < 0.3 and said:
            said[rng.choice(list(said))]["keywords"] = ["price", "cost"][: rng.randint(1, 2)]
        origin = rng.choice(("operator",) * 9 + ("agent",))
        if origin == "operator":
            self.defined[name] = list(said)
        return role(command, name, *said.values(), origin=origin)

    def seen(self, rng: Random, said: Said) -> Said:
        """The same under some perspectives, for the most part one or two, now and then more than are kept."""
        if not self.any or rng.random() >= SEEN.get(said.type, 0.0):
            return said
        known = sorted({each for names in self.defined.values() for each in names}) or self.names
        names = rng.sample(known, min(rng.choice((1, 1, 2, 3, 8, 8)), len(known)))
        names = known[:2] if rng.random() < 0.3 else names
        names += ["nobody's"] if len(names) < 8 and rng.random() < 0.1 else []
        seen = replace(said, body=said.body | {"perspectives": names})
        more = stamped(rng.choice(("user", "tool", "operator"))) if rng.random() < 0.3 else {}
        return replace(seen, changed=more) if not said.changed else seen
