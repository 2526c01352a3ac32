# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings of the site. `./dev docs` builds it from the folder that docs/_site/stage.py writes."""
import inspect
import os
import re
import sys
from pathlib import Path

import synelix
from docutils import nodes

OUT = Path(os.environ["SYNELIX_DOCS_OUT"])                 # docs/_site/build.py sets it
os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).parent / "_site"))

project = "Synelix"
author = "The Synelix developers"
copyright = "2026 The Synelix developers"
version = release = synelix.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "breathe", "sphinx_copybutton"]
root_doc = "index"
exclude_patterns = ["sg_execution_times.rst", "gallery/sg_execution_times.rst", "gallery/*.ipynb", "gallery/*.py",
                    "gallery/*.md5", "gallery/*.json", "gallery/*.zip"]
# pages that no table of contents names, because links alone lead there
suppress_warnings = ["toc.not_included"]

# ---- Markdown
myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 6
highlight_language = "text"
smartquotes = False                                        # --option and "text" are typed as they are printed
toc_object_entries_show_parents = "hide"

# ---- Python
autodoc_typehints = "none"                                 # docstrings have the types
autodoc_member_order = "groupwise"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
default_role = "autolink"                                  # `name` in a docstring

# ---- C++
breathe_projects = {"synelix": str(OUT / "breathe")}
breathe_default_project = "synelix"
breathe_show_include = False
cpp_index_common_prefix = ["synelix::"]

# ---- gallery
SCRIPTS = OUT / "gallery_scripts"
if list(SCRIPTS.glob("*.py")):
    extensions.append("sphinx_gallery.gen_gallery")
sphinx_gallery_conf = {
    "examples_dirs": str(SCRIPTS),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10**6,
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "seaborn", "strict_gallery.strict"),
    "reset_modules_order": "both",
}

# ---- pages
html_theme = "pydata_sphinx_theme"
html_title = f"Synelix {version}"
html_static_path = ["_static"]
html_css_files = ["synelix.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "Synelix"},
    "show_prev_next": True,
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    "show_toc_level": 1,
    "navigation_depth": 3,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": []}


def skip_foreign(app, what, name, thing, skip, options):
    """Leaves out members that a class has from other packages, such as scikit-learn."""
    function = inspect.unwrap(thing) if callable(thing) else getattr(thing, "fget", None)
    module = getattr(function, "__module__", None) or ""
    return True if module and not module.startswith("synelix") else None


def escape_stars(app, what, name, thing, options, lines):
    """A star of a shape, such as (*x.shape, bases), begins no emphasis, and FILE:/dataset is no address of the web."""
    for i, line in enumerate(lines):
        if ">>>" not in line:
            parts = line.split("``")
            parts[::2] = [re.sub(r"(?<=[(\s])\*(?=\w)", r"\\*", part).replace("FILE:/", r"FILE\:/")
                          for part in parts[::2]]
            lines[i] = "``".join(parts)


def drop_repeated_entries(app, env):
    """Of overloads, which follow each other, the first alone is in the contents of a page."""
    for contents in env.tocs.values():
        for items in contents.findall(nodes.bullet_list):
            last = None
            for item in list(items):
                if not isinstance(item, nodes.list_item):
                    continue
                text = item[0].astext()
                if text == last and text.endswith("()"):
                    items.remove(item)
                last = text


def remove_old_pages(app, error):
    """Pages of sources that are gone stay in the folder of a later build."""
    for path in Path(app.outdir).rglob("*.html"):
        name = path.relative_to(app.outdir).with_suffix("").as_posix()
        is_made = name in ("search", "genindex", "py-modindex") or name.startswith("_")
        if name not in app.env.found_docs and not is_made:
            path.unlink()


def setup(app):
    app.connect("build-finished", remove_old_pages)
    app.connect("env-updated", drop_repeated_entries)
    app.connect("autodoc-process-docstring", escape_stars, priority=400)   # numpydoc has 500
    app.connect("autodoc-skip-member", skip_foreign)
