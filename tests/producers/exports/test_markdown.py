"""A folder of notes: a section under a heading is a note by that name, with its tags, links and times."""

import os
from pathlib import Path

import pytest

from tests.producers.drafts import DRAFTER
from tests.producers.exports.samples import commands_of, content, imported, texts
from yggdrasil_producers.errors import ImporterError
from yggdrasil_producers.importers.exports import import_markdown

NOTE = """\
---
title: The depot
aliases:
  - Oslo depot
  - "Warehouse: north"
tags: [logistics, '#places']
date: 2024-05-01
cssclass: wide
---
It opens at six. See [[People/Ana|Ana]] and [the rules](../rules.md#gate).

# Parcels
They go by rail. #decision #2024
```sh
# no heading, no #tag, no [[link]]
```
## In winter ##
By sledge, `#not` a tag; ![[map.png]] https://x.org/#anchor

## In spring
# Letters
#parcels/letters
"""


def vault(tmp_path: Path, **notes: str | bytes) -> Path:
    for name, text in notes.items():
        file = tmp_path / "vault" / f"{name.replace('__', '/')}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path / "vault"


def test_sections_are_notes_with_names_tags_and_links(tmp_path: Path) -> None:
    importing = import_markdown(vault(tmp_path, places__depot=NOTE), DRAFTER)
    top, parcels, winter, spring, letters = commands_of(importing)
    assert [content(each).name for each in (top, parcels, winter, spring, letters)] == [
        "The depot", "Parcels", "In winter", "In spring", "Letters",
    ]  # fmt: skip
    assert content(top).aliases == ["Oslo depot", "Warehouse: north"] and content(parcels).aliases == []
    own = ["note:places/depot.md", "tag:logistics", "tag:places"]
    assert top.body.features == [*own, "link:People/Ana", "link:rules"]
    assert parcels.body.features == [*own, "tag:decision"]
    assert winter.body.features == [*own, "link:map.png"]
    assert letters.body.features == [*own, "tag:parcels/letters"]
    assert (content(parcels).text or "").startswith("They go by rail. #decision #2024\n```sh\n# no heading")
    assert content(spring).text == "In spring", "a heading with nothing below it says what it says"
    assert [each.body.key for each in (top, winter)] == [
        "import:markdown:places/depot.md",
        "import:markdown:places/depot.md#Parcels#In winter",
    ]
    assert {each.at for each in (top, letters)} == {1_714_521_600_000}
    assert content(winter).payload == {"note": "places/depot.md", "headings": ["Parcels", "In winter"]}
    assert (content(top).payload or {})["front_matter"] == {"date": ["2024-05-01"], "cssclass": ["wide"]}
    assert (top.session, importing.unread.count) == ("notes/places/depot.md", 0)


def test_a_changed_section_takes_the_place_of_what_it_was(tmp_path: Path) -> None:
    before = imported(import_markdown, vault(tmp_path, a="# One\n1\n# Two\n2\n"))
    after = imported(import_markdown, vault(tmp_path, a="# Zero\n0\n# One\n1\n# Two\ntwo\n"))
    assert before[0].id == after[1].id
    assert before[1].id != after[2].id and before[1].body.key == after[2].body.key
    assert len({each.body.key for each in after}) == 3


def test_headings_of_one_name_and_long_ones_keep_apart(tmp_path: Path) -> None:
    text = "# A\n1\n# A\n2\n# A#A~2\n3\n# " + "h" * 300 + "\n4\n# " + "h" * 300 + "i\n5\n####### no heading\n"
    found = imported(import_markdown, vault(tmp_path, a=text))
    assert texts(found) == ["1", "2", "3", "4", "5\n####### no heading"]
    assert len({each.body.key for each in found}) == 5
    assert len(content(found[3]).name or "") == 128


def test_a_note_without_headings_or_dates(tmp_path: Path) -> None:
    folder = vault(tmp_path, plain="Just this.\r\nAnd that.", empty="", blank="\n \n", odd="---\nnever: closed\n")
    os.utime(folder / "plain.md", (1_700_000_000, 1_700_000_000))
    odd, plain = imported(import_markdown, folder)
    assert (content(plain).text, content(plain).name, plain.at) == ("Just this.\nAnd that.", "plain", 1_700_000_000_000)
    assert content(odd).text == "---\nnever: closed"
    assert texts(imported(import_markdown, folder / "plain.md")) == ["Just this.\nAnd that."]


def test_what_cannot_be_read_is_named_and_nothing_leads_out(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("a secret")
    odd = {"latin": "caf\xe9".encode("latin-1"), "zero": b"a\0b", "long": b"x" * ((8 << 20) + 1)}
    top = "---\n? odd\ndate: soon\n---\ntext"
    folder = vault(tmp_path, **odd, good="fine", wide="a".encode("utf-16"), top=top, hidden__a="in a folder")
    (folder / "link.md").symlink_to(secret)
    (folder / "out").symlink_to(tmp_path)
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "a.md").write_text("settings")
    (folder / "pipe.md").mkdir()
    many = (
        "---\naliases: [" + ", ".join(f"a{n}" for n in range(20)) + "]\n---\n" + " ".join(f"#t{n}" for n in range(40))
    )
    (folder / "many.md").write_text(many)
    importing = import_markdown(folder, DRAFTER)
    assert sorted(str(text)[:11] for text in texts(commands_of(importing))) == [
        "#t0 #t1 #t2",
        "fine",
        "in a folder",
        "text",
    ]
    assert importing.unread.reasons == {
        "no UTF-8": 2,
        "no text": 1,
        "too long": 1,
        "a symbolic link: not followed": 2,
        "front matter that is not understood": 1,
        "a date before 1970, or that is not understood: the file's own is taken": 1,
        "more than 16 aliases: the first are taken": 1,
        "more than 32 tags and links: the first are features": 1,
    }
    with pytest.raises(ImporterError, match="there is none"):
        import_markdown(tmp_path / "nowhere", DRAFTER)


@pytest.mark.parametrize(
    "text",
    [
        "---\nDear Ana,\n\nhow are you? It rains here.\n---\nYours, Bo",
        "---\nA rule, and a line.\n---\n",
        "---\n---\nA rule twice",
    ],
)
def test_what_somebody_wrote_between_two_rules_is_text(tmp_path: Path, text: str) -> None:
    (found,) = imported(import_markdown, vault(tmp_path, letter=text))
    said = content(found).text or ""
    assert all(line in said for line in text.split("\n") if line.strip("-"))


def test_comments_quotes_and_what_means_nothing_here(tmp_path: Path) -> None:
    text = (
        '---\n# a comment\ntags: [a, \'b, c\'] # two\naliases: ["Oslo, north", "say \\"hi\\"", it\'s # no]\n'
        'title: "C# # no comment" # but this\nurl: https://x.org/#here\nauthor: Ana\nborn: 1969-07-20\n'
        "about: >\n  it goes on\n  and on\n---\ntext"
    )
    (found,) = imported(import_markdown, vault(tmp_path, n=text))
    assert content(found).name == "C# # no comment"
    assert content(found).aliases[:2] == ["Oslo, north", 'say "hi"']
    assert {"tag:a", "tag:b", "tag:c"} <= set(found.body.features)
    assert (content(found).payload or {})["front_matter"] == {
        "url": ["https://x.org/#here"],
        "author": ["Ana"],
        "born": ["1969-07-20"],
        "about": ["it goes on", "and on"],
    }


def test_a_date_before_1970_is_kept_and_said(tmp_path: Path) -> None:
    importing = import_markdown(vault(tmp_path, n="---\ndate: 1969-07-20\n---\nThe moon"), DRAFTER)
    (found,) = commands_of(importing)
    assert found.at > 0
    assert (content(found).payload or {})["front_matter"] == {"date": ["1969-07-20"]}
    assert importing.unread.reasons == {"a date before 1970, or that is not understood: the file's own is taken": 1}


def test_names_in_either_normal_form_are_one_name(tmp_path: Path) -> None:
    folder = vault(tmp_path)
    folder.mkdir(exist_ok=True)
    (folder / "cafe\u0301.md").write_text("one")
    (found,) = imported(import_markdown, folder)
    assert found.body.key == "import:markdown:café.md"
    (folder / "café.md").write_text("two")
    (folder / "._cafe.md").write_bytes(b"\0\5\x16\7")
    importing = import_markdown(folder, DRAFTER)
    assert len(commands_of(importing)) == 1
    assert importing.unread.reasons == {"the same name": 1}
