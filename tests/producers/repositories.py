"""Real git repositories, made by the real git, apart from the configuration of whoever runs the tests."""

import os
import subprocess
from pathlib import Path

START_S = 1_700_000_000
STEP_S = 60


class Repo:
    """A repository in a folder. Each commit comes a minute after the one before."""

    def __init__(self, folder: Path, *, init: bool = True) -> None:
        self.folder = folder
        self.now_s = START_S
        if init:
            folder.mkdir()
            self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, author: str = "Ada") -> str:
        moment = f"{self.now_s} +0200"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        env = clean | {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": author,
            "GIT_AUTHOR_EMAIL": "author@example.org",
            "GIT_AUTHOR_DATE": moment,
            "GIT_COMMITTER_NAME": "Integrator",
            "GIT_COMMITTER_EMAIL": "integrator@example.org",
            "GIT_COMMITTER_DATE": moment,
        }
        command = ["git", "-C", os.fspath(self.folder), *arguments]
        done = subprocess.run(command, env=env, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout.decode(errors="replace").strip()

    def write(self, path: str | bytes, text: str) -> None:
        file = os.path.join(os.fsencode(self.folder), os.fsencode(path))
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(text)

    def commit(self, message: str, files: dict[str, str] | None = None, *, author: str = "Ada") -> str:
        """Commit ``files`` (path to content) and whatever else has changed; return the commit's id."""
        self.now_s += STEP_S
        for path, text in (files or {}).items():
            self.write(path, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "-m", message, author=author)
        return self.git("rev-parse", "HEAD")

    def clone(self, folder: Path, *options: str) -> "Repo":
        self.git("clone", "--quiet", *options, self.folder.as_uri(), os.fspath(folder))
        return Repo(folder, init=False)
