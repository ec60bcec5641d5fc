"""dragoman: NVIDIA's maths libraries, answered by AMD's.

Importing the package does nothing else; each command imports what it needs.
"""

from __future__ import annotations

__version__ = "0.1.0"
