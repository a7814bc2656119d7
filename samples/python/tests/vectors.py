"""The vectors of the repository, which say what every implementation must make of what bytes."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[3] / "vectors"


def load(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def vkey_of(bundle: dict[str, Any]) -> str:
    """The key of a vector's log. A caller has it from somewhere else."""
    genesis = json.loads(base64.b64decode(bundle["genesis"]["bytes"]))
    return genesis["body"]["checkpoint_vkey"]
