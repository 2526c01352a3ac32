# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A warning of a script of the gallery is an error: its page would show it, with paths of the machine."""
import warnings

before = []                                                # the filters of Sphinx itself


def strict(gallery_conf, name, when):
    """Sphinx-Gallery calls it before and after each script."""
    if when == "before":
        before.append(warnings.filters[:])
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*non-interactive")   # of plt.show, which Sphinx-Gallery needs
    elif before:
        warnings.filters[:] = before.pop()
