"""The facts lie beside these tests, in tests/facts; the package is importable as `facts`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
