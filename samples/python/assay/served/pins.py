"""Where the newest head of a log is kept between visits."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


class Pins(Protocol):
    """Keeps a text under a name."""

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, text: str) -> None: ...


@dataclass
class MemoryPins:
    """For one process. A later one is a first visit again."""

    kept: dict[str, str] = field(default_factory=dict)

    def get(self, name: str) -> str | None:
        return self.kept.get(name)

    def set(self, name: str, text: str) -> None:
        self.kept[name] = text


@dataclass(frozen=True)
class FilePins:
    """A folder with a file for each name, written whole or not at all."""

    folder: Path

    def get(self, name: str) -> str | None:
        path = self._path(name)
        return path.read_text(encoding="utf-8") if path.exists() else None

    def set(self, name: str, text: str) -> None:
        path = self._path(name)
        self.folder.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(f".{os.getpid()}.new")
        with open(new, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name.encode('utf-8').hex()[-160:]}.head"
