"""`yggdrasil map`: one file that needs no network, with what is sure, what waits, what is risky, and the last walk."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.runs import Cli
from yggdrasil import Leg, Memory


@pytest.fixture
def world(cli: Cli) -> None:
    del cli  # which has made the folder that this is in
    with Memory.open(".yggdrasil", "me/agent", source="ana") as memory:
        memory.observe("A hut", place="<b>hut</b>", place_type="hut", anchor="overworld/0/64/0", kind="build")
        memory.observe("A bed", place="tent", place_type="bed", anchor="overworld/40/64/10", kind="discovery")
        memory.observe("A chunk", place="mine", anchor="overworld/2/-3")
        memory.observe("Elsewhere", place="gate", anchor="nether/0/0/0")
        memory.walk("<b>hut</b>", [Leg("mine", 30), Leg("tent", 20, lit=False, danger=1.0)])


def drawn(page: str) -> ElementTree.Element:
    return ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])


def test_a_page_shows_places_paths_and_the_last_walk(cli: Cli, world: None) -> None:
    document = cli.ok("map", "--realm", "overworld", "--json").json
    assert (document["places"], document["paths"], document["walk"], document["left_out"]) == (3, 2, 3, False)
    page = Path("map.html").read_text()
    svg = drawn(page)
    dots = {each[0].text: each for each in svg.iter("circle")}
    assert {text: each.get("class") for text, each in dots.items()} == {
        "<b>hut</b> (hut)": "sure",
        "tent (bed)": "candidate",
        "mine": "sure",
    }
    assert dots["mine"].get("cx") == "960.0" or float(dots["mine"].get("cx", 0)) > float(
        dots["<b>hut</b> (hut)"].get("cx", 0)
    )
    kinds = {each[0].text: each.get("class") for each in svg.iter("line")}
    assert kinds == {"<b>hut</b> to mine: 30, risk 0%": "path", "mine to tent: 20, risk 25%": "path risky dark"}
    (walk,) = svg.iter("polyline")
    assert len((walk.get("points") or "").split()) == 3
    assert "<b>hut" not in page and not re.search(r"https?:|<script|src=|url\(", page)


def test_a_picture(cli: Cli, world: None) -> None:
    assert "3 places, 2 paths" in cli.ok("map", "--realm", "overworld", "--out", "map.png").out
    assert Path("map.png").read_bytes().startswith(b"\x89PNG")


def refused(cli: Cli, *arguments: str) -> str:
    run = cli(*arguments)
    assert run.code == 2
    return " ".join(run.err.split())


def test_what_cannot_be_drawn_is_told(cli: Cli, world: None) -> None:
    assert "no place has an anchor in 'moon'" in refused(cli, "map", "--realm", "moon")
    assert "neither .html nor .png" in refused(cli, "map", "--realm", "overworld", "--out", "map.gif")
    assert "cannot be written" in refused(cli, "map", "--realm", "overworld", "--out", "none/map.html")


def test_a_map_goes_on_where_there_are_more_than_one_page(cli: Cli) -> None:
    with Memory.open(".yggdrasil", "me/agent", source="ana") as memory:
        for number in range(230):
            memory.observe("Seen", place=f"p{number}", anchor=f"overworld/{number}/0/{number % 7}")
    assert cli.ok("map", "--realm", "overworld", "--json").json["places"] == 230
