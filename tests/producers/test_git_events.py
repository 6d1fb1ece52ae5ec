"""Each commit is an event that says the same for ever, whatever lies around it."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.producers.drafts import DRAFTER, Told, payload_of, told
from tests.producers.repositories import START_S, STEP_S, Repo
from yggdrasil_producers.draft import Draft
from yggdrasil_producers.errors import ImporterError
from yggdrasil_producers.importers.git import import_git
from yggdrasil_producers.importers.git_kinds import kind_of


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "origin")


def read(repo: Repo) -> Told:
    return told(import_git(repo.folder, DRAFTER).drafts)


def values(repo: Repo) -> dict[str, bytes]:
    return {draft.id: draft.value for draft in import_git(repo.folder, DRAFTER).drafts}


def test_a_commit_is_an_event(repo: Repo) -> None:
    sha = repo.commit("Add a door\n\nIt opens.", {"house/front/door.py": "1\n2\n3\n", "house/key.py": "1\n"})
    (event,) = read(repo).events
    assert event.body.features == [
        "file:house/front/door.py", "file:house/key.py", "dir:house/front", "dir:house", "kind:feature", "author:Ada",
    ]  # fmt: skip
    assert payload_of(event) == {
        "sha": sha, "author": "Ada", "files": 2, "authored": "2023-11-15T00:14:20+02:00", "body": "It opens.",
    }  # fmt: skip
    assert event.at == (START_S + STEP_S) * 1000
    assert event.session == "2023-11 Ada"
    assert event.origin == "import"


def test_oldest_first_with_progress_in_commits(repo: Repo) -> None:
    for number in range(5):
        repo.commit(f"change {number}", {"a.py": str(number)})
    importing = import_git(repo.folder, DRAFTER)
    assert (importing.total, importing.done) == (5, 0)
    assert told(importing.drafts).texts() == [f"change {number}" for number in range(5)]
    assert importing.done == 5


def test_the_newest_commits_only(repo: Repo) -> None:
    for number in range(5):
        repo.commit(f"change {number}", {"a.py": str(number)})
    importing = import_git(repo.folder, DRAFTER, commits_max=2)
    assert importing.total == 2
    assert told(importing.drafts).texts() == ["change 3", "change 4"]


def test_another_rev(repo: Repo) -> None:
    repo.commit("one")
    repo.git("tag", "here")
    repo.commit("two")
    assert told(import_git(repo.folder, DRAFTER, rev="here").drafts).texts() == ["one"]
    with pytest.raises(ImporterError, match="names none: one of main"):
        import_git(repo.folder, DRAFTER, rev="--all")


def test_what_changed_most_comes_first(repo: Repo) -> None:
    repo.commit("c", {"a.py": "1\n", "z.py": "1\n" * 9, "m/b.py": "1\n" * 4})
    assert read(repo).features("c")[:3] == ["file:z.py", "file:m/b.py", "file:a.py"]


def test_a_rename_links_both_names(repo: Repo) -> None:
    repo.commit("one", {"old name.py": "1\n2\n"})
    repo.git("mv", "old name.py", "new.py")
    repo.commit("two", {"other.py": "1\n"})
    assert read(repo).features("two")[:3] == ["file:other.py", "file:new.py", "file:old name.py"]


def test_a_merge_has_no_files_and_an_empty_message_a_text(repo: Repo) -> None:
    repo.commit("base", {"a.py": "1"})
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit("on the side", {"b.py": "1"})
    repo.git("checkout", "--quiet", "main")
    repo.commit("", {"c.py": "1"})
    repo.now_s += STEP_S
    repo.git("merge", "--quiet", "--no-ff", "-m", "Fix by merging", "side")
    found = read(repo)
    assert found.features("Fix by merging") == ["kind:merge", "author:Ada"]
    assert found.features("(no message)")[0] == "file:c.py"
    assert found.texts()[-1] == "Fix by merging"
    assert not found.outcomes


def test_odd_bytes_become_printable_and_stay_apart(repo: Repo) -> None:
    for path in (b"bad\xff.py", b"bad\xfe.py", b"tab\there\n.py", "späß 🌳.py".encode()):
        repo.write(path, "1\n")
    message = repo.folder.parent / "message"
    message.write_bytes(b"Odd \xff\x1b[31m subject\r\n\r\nbody \xfe\x00"[:-1])
    repo.git("add", "--all")
    repo.git("-c", "i18n.commitEncoding=UTF-8", "commit", "--quiet", "-F", os.fspath(message), author="A\u202fß")
    (event,) = read(repo).events
    files = [name for name in event.body.features if name.startswith("file:")]
    assert len(set(files)) == 4
    assert "file:späß 🌳.py" in files
    assert all(name.isprintable() for name in files)
    assert "author:A\u202fß" in event.body.features


def test_many_files_and_long_paths_stay_within_bounds(repo: Repo) -> None:
    long = "/".join(["folder-with-a-long-name"] * 13)
    repo.commit(
        "c", {f"top{n % 40}/sub/file{n}.py": "1\n" for n in range(300)} | {f"{long}/{n}.py": "9\n" * 9 for n in "ab"}
    )
    features = read(repo).features("c")
    assert len(features) == 32
    assert features[-2:] == ["kind:change", "author:Ada"]
    assert all(len(name) <= 128 for name in features)
    assert features[0].startswith("file:…")
    assert "/a.py#" in features[0]
    assert payload_of(read(repo).events[0])["files"] == 302


def test_imported_twice_from_a_clone_and_after_growth(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Add a", {"a.txt": "1\n" * 5, "b.txt": "2\n" * 3})
    repo.commit("Fix a", {"a.txt": "2\n"})
    repo.git("tag", "v1.0")
    first = values(repo)
    assert len(first) == 2 + 1 + 2
    assert values(repo) == first
    clone = repo.clone(tmp_path / "clone")
    # Nothing local may change what is told: attributes, settings, replaced objects.
    clone.write(".gitattributes", "*.txt binary\n")
    for name, value in (("diff.renames", "copies"), ("diff.noprefix", "true"), ("log.showSignature", "true")):
        clone.git("config", name, value)
    clone.git("replace", "HEAD~1", "HEAD")
    assert values(clone) == first
    assert values(repo.clone(tmp_path / "bare", "--bare")) == first
    repo.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    repo.commit("Fix a in another way", {"a.txt": "3\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit('Revert "Fix a"', {"a.txt": "1\n"})
    repo.now_s += STEP_S
    repo.git("merge", "--quiet", "--no-ff", "-s", "ours", "-m", "merge", "side")
    repo.git("tag", "v1.1")
    grown = values(repo)
    assert len(grown) > len(first)
    assert grown | first == grown


def test_a_shallow_clone_leaves_out_what_it_cannot_know(repo: Repo, tmp_path: Path) -> None:
    for number in range(4):
        repo.commit(f"change {number}", {"a.py": str(number), f"{number}.py": ""})
    shallow = repo.clone(tmp_path / "shallow", "--depth=3")
    importing = import_git(shallow.folder, DRAFTER)
    assert importing.total == 2 and "git fetch --unshallow" in " ".join(importing.remarks)
    assert told(importing.drafts).texts() == ["change 2", "change 3"]
    assert not import_git(shallow.folder, DRAFTER, commits_max=2).remarks, "nothing that was asked for is left out"
    assert not import_git(repo.folder, DRAFTER).remarks
    assert values(repo).items() >= values(shallow).items()
    with pytest.raises(ImporterError, match="git fetch --unshallow"):
        import_git(repo.clone(tmp_path / "one", "--depth=1").folder, DRAFTER)


def test_a_folder_inside_the_repository_means_the_repository(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("one", {"sub/a.py": "1"})
    repo.git("config", "diff.relative", "true")
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # as in a hook of another repository
    assert "file:sub/a.py" in told(import_git(repo.folder / "sub", DRAFTER).drafts).features("one")


def test_an_empty_repository_gives_nothing(repo: Repo) -> None:
    importing = import_git(repo.folder, DRAFTER)
    assert (importing.total, list(importing.drafts)) == (0, [])


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path.parent))
    with pytest.raises(ImporterError, match=r"expected a git repository at .*git init"):
        import_git(tmp_path, DRAFTER)
    with pytest.raises(ImporterError, match="is no folder"):
        import_git(tmp_path / "missing", DRAFTER)


def test_git_is_missing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ImporterError, match="install git"):
        import_git(repo.folder, DRAFTER)


def test_a_broken_repository_is_named(repo: Repo) -> None:
    repo.commit("one", {"a.py": "1"})
    repo.commit("two", {"a.py": "2"})
    tree = repo.git("rev-parse", "HEAD~1^{tree}")
    importing = import_git(repo.folder, DRAFTER)
    (repo.folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    taken: list[Draft] = []
    with pytest.raises(ImporterError, match=f"git log failed: .*{tree}"):
        taken.extend(importing.drafts)
    assert not taken, "half a commit under the id of the whole"


def test_stopping_early_leaves_no_process(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def remembered(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, **options))  # type: ignore[call-overload]
        return started[-1]

    for number in range(3):
        repo.commit(f"change {number}")
    importing = import_git(repo.folder, DRAFTER)
    monkeypatch.setattr(subprocess, "Popen", remembered)
    next(importing.drafts)
    importing.close()
    assert started
    assert all(process.poll() is not None for process in started)
    assert list(importing.drafts) == []


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("fix(parser): accept tabs", "fix"), ("feat!: new world", "feature"), ("docs: fix the page", "docs"),
        ("Fixed a crash in the parser", "fix"), ("Fix typo", "docs"), ("Whitespace fix.", "style"),
        ("Hotfix for login", "fix"),
        ("Add tests for the parser", "test"), ("Rename a to b", "refactor"), ("Release 1.2.3", "release"),
        ("v1.2.3", "release"), ("Version 0.47.3 (#2985)", "release"), ("Bump orjson to 3.12", "build"),
        ('Revert "Add x"', "revert"), ("Support prefixes", "feature"), ("Something else", "change"), ("", "change"),
    ],
)  # fmt: skip
def test_kinds(subject: str, kind: str) -> None:
    assert kind_of(subject, "", 1, [b"a.py"]) == kind
    assert kind_of(subject, "", 2, []) == "merge"


def test_kinds_of_prose_and_of_bodies() -> None:
    assert kind_of("Fix the link", "", 1, [b"docs/index.md", b"README"]) == "docs"
    assert kind_of("fix: the link", "", 1, [b"docs/index.md"]) == "fix"
    assert kind_of("Drop x", "This reverts commit 1234567.", 1, [b"a.py"]) == "revert"
    assert kind_of("Drop x", '* Revert "y"\n\nThis reverts commit 1234567.', 1, [b"a.py"]) == "change"
