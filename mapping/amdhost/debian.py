"""Packages of other Debian suites, by this system's own apt: from the mirror that it is configured for, checked with
its keys, in lists and folders of our own. Nothing is installed and nothing of the system's is changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ..errors import UserError

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_FORMAT = "$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(CREATED_BY)|$(REPO_URI)"


class UnavailableError(UserError):
    """Packages that cannot be had here. One line that says which and why."""


def mirror() -> str:
    """The address of the Debian archive that apt is configured for."""
    if shutil.which("apt-get") is None:
        raise UnavailableError("AMD's libraries come as Debian packages, and this system has no apt-get")
    lines = _run(["apt-get", "indextargets", "--format", _FORMAT]).splitlines()
    for line in lines:
        origin, label, component, made_by, address = (line.split("|") + [""] * 5)[:5]
        if (origin, label, component, made_by) == ("Debian", "Debian", "main", "Packages"):
            return address
    raise UnavailableError("apt knows no Debian archive; run apt-get update first, on a Debian system")


class Archive:
    """Some suites of the archive, with lists of their own in `folder`."""

    def __init__(self, folder: Path, suites: Sequence[str]) -> None:
        self.folder = folder
        self.suites = tuple(suites)
        for part in ("state/lists/partial", "cache/archives/partial", "sources", "none"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "state" / "status").touch()
        key = f"Signed-By: {_KEYRING}\n" if _KEYRING.is_file() else ""
        (folder / "sources" / "archive.sources").write_text(
            f"Types: deb\nURIs: {mirror()}\nSuites: {' '.join(suites)}\nComponents: main\nArchitectures: amd64\n{key}",
            encoding="utf-8",
        )
        # Without this apt takes lists that it could not fetch for empty ones, and says so in warnings alone.
        self._command("apt-get", "update", "-o", "APT::Update::Error-Mode=any")

    def _command(self, program: str, *arguments: str, folder: Path | None = None) -> str:
        settings = {
            "Dir::State": self.folder / "state",
            "Dir::State::status": self.folder / "state" / "status",
            "Dir::Cache": self.folder / "cache",
            "Dir::Etc::SourceList": "/dev/null",
            "Dir::Etc::SourceParts": self.folder / "sources",
            "Dir::Etc::PreferencesParts": self.folder / "none",
            "APT::Architecture": "amd64",
            "APT::Sandbox::User": "root",  # it writes into folders of this user's
        }
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        return _run([program, *options, *arguments], folder)

    def download(self, package: str, into: Path) -> Path:
        """The newest version of a package, `name` or `name/suite`, as a .deb."""
        into.mkdir(parents=True, exist_ok=True)
        name, _, suite = package.partition("/")
        known = self._command("apt-cache", "madison", name).splitlines()
        if not any(f" {suite}/" in line for line in known) if suite else not known:
            raise UnavailableError(f"Debian's {suite or ' and '.join(self.suites)} has no package {name}")
        before = set(into.iterdir())
        self._command("apt-get", "download", "-q", package, folder=into)
        found = [path for path in into.iterdir() if path not in before and path.suffix == ".deb"]
        if len(found) != 1:
            raise UnavailableError(f"apt-get downloaded no {package}")
        return found[0]


def version_of(package: Path) -> str:
    """librocblas5_7.2.4-1~exp1_amd64.deb → 7.2.4-1~exp1"""
    return package.name.split("_")[1].replace("%3a", ":")


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
    except OSError as error:
        raise UnavailableError(f"cannot run {command[0]}: {error.strerror}") from error
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("E:")] or done.stderr.splitlines()
        raise UnavailableError(f"{command[0]}: {said[0] if said else f'exit status {done.returncode}'}")
    return done.stdout
