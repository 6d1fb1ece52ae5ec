"""What becomes of a commit: reverted, mended, released."""

from pathlib import Path

import pytest

from tests.producers.drafts import DRAFTER, Told, text_of, told
from tests.producers.repositories import STEP_S, Repo
from yggdrasil_producers.importers.git import import_git
from yggdrasil_producers.importers.git_history import MEND_WINDOW_COMMITS, RELEASED_MAX


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "origin")


def read(repo: Repo) -> Told:
    return told(import_git(repo.folder, DRAFTER).drafts)


def merge(repo: Repo, branch: str) -> None:
    repo.now_s += STEP_S
    repo.git("merge", "--quiet", "--no-ff", "-m", f"Merge {branch}", branch)


def test_a_revert_blames_the_commit_that_it_names(repo: Repo) -> None:
    repo.commit("Add a", {"a.py": "1"})
    repo.commit("Add b", {"b.py": "1"})
    repo.now_s += STEP_S
    repo.git("revert", "--no-edit", "HEAD~1")
    found = read(repo)
    assert found.verdicts("reverted") == [("Add a", -3.0)]
    (outcome,) = found.outcomes
    sha = repo.git("rev-parse", "HEAD")
    assert text_of(outcome) == f'reverted by {sha[:12]}: Revert "Add a"'
    assert outcome.at == repo.now_s * 1000
    assert outcome.session == found.event("Add a").session
    assert found.features('Revert "Add a"')[-2:] == ["kind:revert", "author:Ada"]


def test_a_revert_without_an_id_goes_by_the_subject(repo: Repo) -> None:
    repo.commit('Add "a" (#1)', {"a.py": "1"})
    repo.commit('Revert "Add "a" (#1)" (#2)', {"a.py": ""})
    repo.commit('Revert "Revert "Add "a" (#1)" (#2)"', {"a.py": "1"})
    repo.commit('Revert "what is not there"', {"a.py": "2"})
    assert read(repo).verdicts("reverted") == [('Add "a" (#1)', -3.0), ('Revert "Add "a" (#1)" (#2)', -3.0)]


def test_a_mend_blames_the_latest_change_of_the_same_files(repo: Repo) -> None:
    repo.commit("Add a", {"a.py": "1", "CHANGELOG.md": "1"})
    repo.commit("Change a", {"a.py": "2"})
    repo.commit("Change b", {"b.py": "2", "CHANGELOG.md": "2"})
    repo.commit("Fix a crash", {"a.py": "3", "CHANGELOG.md": "3"})
    repo.commit("Fix it again", {"a.py": "4"})
    assert read(repo).verdicts("mended") == [("Change a", -1.0), ("Change a", -1.0)]


def test_a_mend_comes_right_after_its_commit_in_the_stream(repo: Repo) -> None:
    repo.commit("Add a", {"a.py": "1"})
    mend = repo.commit("fix: a", {"a.py": "2"})
    repo.commit("Add b", {"b.py": "1"})
    drafts = list(import_git(repo.folder, DRAFTER).drafts)
    assert [b"log_outcome" in draft.value for draft in drafts] == [False, False, True, False]
    assert text_of(read(repo).outcomes[0]) == f"mended by {mend[:12]}: fix: a"


def test_an_old_change_is_not_blamed(repo: Repo) -> None:
    repo.commit("Add a", {"a.py": "1"})
    for number in range(MEND_WINDOW_COMMITS - 1):
        repo.commit(f"change {number}", {"b.py": str(number)})
    repo.commit("Fix a in time", {"a.py": "2"})
    repo.commit("Fix a too late", {"a.py": "3"})
    found = read(repo)
    assert [text_of(one).split(": ")[1] for one in found.outcomes] == ["Fix a in time"]


def test_a_trailer_names_the_fault_exactly_and_from_afar(repo: Repo) -> None:
    sha = repo.commit("Add a", {"a.py": "1"})
    for number in range(MEND_WINDOW_COMMITS + 1):
        repo.commit(f"change {number}", {"b.py": str(number)})
    repo.commit(f'Correct the sum\n\nFixes: {sha[:12]} ("Add a")\nFixes: 0000000000', {"b.py": "x"})
    repo.commit("Fix b\n\nFixes: #12", {"b.py": "y"})
    assert read(repo).verdicts("mended") == [("Add a", -1.0), ("Correct the sum", -1.0)]


def test_a_mend_follows_renames(repo: Repo) -> None:
    repo.commit("Add a", {"old.py": "1\n"})
    repo.git("mv", "old.py", "new.py")
    repo.commit("Move it")
    repo.commit("Fix it", {"new.py": "2\n"})
    assert read(repo).verdicts("mended") == [("Add a", -1.0)]


def test_a_mend_sees_merged_branches_and_not_parallel_ones(repo: Repo) -> None:
    repo.commit("Base", {"z.py": "1"})
    for branch in ("seen", "unseen"):
        repo.git("checkout", "--quiet", "-b", branch, "main")
        repo.commit(f"Add a, {branch}", {"a.py": branch})
    repo.git("checkout", "--quiet", "main")
    merge(repo, "seen")
    repo.commit("Fix a", {"a.py": "3"})
    repo.now_s += STEP_S
    repo.git("merge", "--quiet", "-s", "ours", "-m", "Fix by merging", "unseen")
    assert read(repo).verdicts("mended") == [("Add a, seen", -1.0)]


def test_a_release_is_good_for_what_is_new_in_it(repo: Repo) -> None:
    repo.commit("one")
    repo.commit("two")
    repo.git("tag", "-a", "-m", "first", "v1.0")
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit("three")
    repo.git("checkout", "--quiet", "main")
    repo.commit("four")
    repo.git("tag", "v1.1rc1")
    repo.git("tag", "nice")
    repo.git("tag", "v1.1")
    merge(repo, "side")
    repo.git("tag", "release/1.2")
    repo.commit("five")
    found = read(repo)
    names = {event.id: text_of(event) for event in found.events}
    assert [(names[one.body.event], text_of(one)) for one in found.outcomes] == [
        ("one", "released in v1.0"),
        ("two", "released in v1.0"),
        ("four", "released in v1.1"),
        ("three", "released in release/1.2"),
        ("Merge side", "released in release/1.2"),
    ]
    assert {one.body.value for one in found.outcomes} == {0.5}


def test_a_release_speaks_of_its_newest_commits_only(repo: Repo) -> None:
    lines = []
    for number in range(1, RELEASED_MAX + 11):
        text = f"change {number}"
        lines.append(f"commit refs/heads/main\ncommitter Ada <a@example.org> {1_700_000_000 + number} +0000\n")
        lines.append(f"data {len(text)}\n{text}\n")
    (repo.folder.parent / "stream").write_text("".join(lines), encoding="ascii")
    repo.git("-c", "alias.load=!git fast-import --quiet <", "load", str(repo.folder.parent / "stream"))
    repo.git("tag", "1.0.0")
    repo.git("tag", "1.0.1")
    released = read(repo).verdicts("released")
    assert len(released) == RELEASED_MAX
    assert released[0] == ("change 11", 0.5)
    assert released[-1] == (f"change {RELEASED_MAX + 10}", 0.5)
