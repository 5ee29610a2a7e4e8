"""The worked numbers of the specification."""

import json
from pathlib import Path
from typing import Any

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden" / "evaluation.json").read_text(encoding="utf-8")
)
