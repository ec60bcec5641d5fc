"""Sphinx: `pip install furo myst-parser sphinx && sphinx-build docs site`."""

from __future__ import annotations

project = "dragoman"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "dragoman"
myst_heading_anchors = 3
exclude_patterns = ["_build"]
