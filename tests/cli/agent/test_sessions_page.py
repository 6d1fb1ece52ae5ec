"""What docs/sessions.md says of the command line is run, line by line."""

import re
import shlex
from pathlib import Path

from tests.cli.runs import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "sessions.md").read_text()


def test_the_same_on_the_command_line(cli: Cli) -> None:
    found = re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    block = next(each for each in found if "$(yggdrasil" in each)
    known: dict[str, str] = {}
    shown: list[str] = []
    for line in block.splitlines():
        typed = line.removeprefix("$ ")
        named = re.fullmatch(r"(\w+)=\$\((.*)\)", typed)
        words = shlex.split(named[2] if named else typed)
        assert words[0] == "yggdrasil"
        out = cli.ok(*[known[word[1:]] if word.startswith("$") else word for word in words[1:]]).out
        if named:
            known[named[1]] = out.strip()
        shown.append(out)
    assert "Tell Ana" in shown[5] and "built" not in shown[5]
    assert "Blue-green" in shown[6] and "Pin orjson" in shown[7] and "said" in shown[8]
