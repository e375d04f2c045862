# ruff: noqa: INP001  # settings that Sphinx reads, not a package
"""Settings of the documentation site; it builds offline and warnings are errors."""

from importlib import metadata

project = "reident"
author = "The reident developers"
copyright = "The reident developers, Apache-2.0"  # noqa: A001  # the name Sphinx looks for
release = metadata.version("reident")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3

html_theme = "furo"
html_title = "reident"
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True
