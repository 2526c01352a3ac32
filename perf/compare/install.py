# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers in Python, in an environment of their own below the user's cache folder.

    install.py            installs what is missing, and prints the environment's python
"""
import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
# The groups are installed in turn: if one fails, the others stay. The first is needed by all.
# The packages that JAX also needs on a CUDA device are in a separate file: some GB that other machines do not need.
DEVICE_REQUIREMENTS = Path(__file__).with_name("requirements_device.txt")
GROUPS = {"numpy": ("numpy", "scipy"), "torch": ("torch",), "nemos": ("jax", "jaxlib", "nemos")}
# The peers of fits have a separate environment.
FIT_REQUIREMENTS = Path(__file__).with_name("requirements_fit.txt")
FIT_GROUPS = {"numpy": ("numpy", "scipy", "h5py", "scikit-learn"), "glum": ("glum",), "skglm": ("skglm",), "adelie": ("adelie",),
              "nemos": ("jax", "jaxlib", "nemos")}


def pinned(text):
    """{name: "name==version"} of a requirements file."""
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    return {line.split("==")[0]: line for line in lines if line}


def folder(requirements=None):
    """The folder of the environment: one for each Python and each list of versions."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    key = hashlib.sha256((requirements or REQUIREMENTS).read_bytes()).hexdigest()[:12]
    return cache / "synelix" / "peers" / f"python{sys.version_info[0]}.{sys.version_info[1]}-{key}"


def python(requirements=None):
    return folder(requirements) / "bin" / "python3"


def is_there(group, requirements=None):
    """Whether a group is installed; "nemos_device" is that of NeMoS with JAX' device packages."""
    return (folder(requirements) / f".has_{group}").exists()


def say(text):
    print(f"peers: {text}", file=sys.stderr, flush=True)


def install(requirements=None, groups=None):
    """Installs the missing groups; returns {group: why not}."""
    requirements, groups = requirements or REQUIREMENTS, groups or GROUPS
    place = folder(requirements)
    missing = [group for group in groups if not is_there(group, requirements)]
    failed = {}
    if missing and not python(requirements).exists():
        say(f"making {place}")
        place.parent.mkdir(parents=True, exist_ok=True)
        made = subprocess.run([sys.executable, "-m", "venv", place], capture_output=True, text=True)
        if made.returncode != 0:
            why = (made.stdout + made.stderr).strip().splitlines()
            return dict.fromkeys(missing, f"no environment: {why[-1] if why else made.returncode}")
    wanted = pinned(requirements.read_text())
    for group in missing:
        words = [wanted[name] for name in groups[group]]
        say(f"installing {', '.join(words)}" + (" (some GB where it comes with CUDA)" if group == "torch" else ""))
        done = subprocess.run([python(requirements), "-m", "pip", "install", "--quiet", "-c", requirements, *words],
                              capture_output=True, text=True)
        if done.returncode == 0:
            (place / f".has_{group}").touch()
        else:
            failed[group] = "pip: " + (done.stderr.strip().splitlines() or ["failed"])[-1]
            say(f"{group} is left out: {failed[group]}")
    return failed


def install_for_device():
    """Adds the packages that JAX needs on a device to the group nemos; returns why not, or nothing."""
    if is_there("nemos_device"):
        return ""
    if not is_there("nemos"):
        return "nemos is not installed"
    say("installing JAX for a CUDA device (some GB)")
    done = subprocess.run([python(), "-m", "pip", "install", "--quiet", "-c", REQUIREMENTS, "-r", DEVICE_REQUIREMENTS],
                          capture_output=True, text=True)
    if done.returncode != 0:
        why = "pip: " + (done.stderr.strip().splitlines() or ["failed"])[-1]
        say(f"NeMoS on the device is left out: {why}")
        return why
    (folder() / ".has_nemos_device").touch()
    return ""


def enter_where_numpy_is():
    """Continues this program in the environment if the Python that started it has no numpy."""
    if importlib.util.find_spec("numpy") is None and Path(sys.prefix) != folder():
        install()
        if not is_there("numpy"):
            sys.exit("peers: there is no numpy, and it cannot be installed")
        os.execv(python(), [str(python()), "-B", *sys.argv])


def enter_where_fit_peers_are():
    """Continues this program in the environment of the peers of fits."""
    install(FIT_REQUIREMENTS, FIT_GROUPS)
    if not is_there("numpy", FIT_REQUIREMENTS):
        sys.exit("peers: there is no numpy, and it cannot be installed")
    if Path(sys.prefix) != folder(FIT_REQUIREMENTS):
        os.execv(python(FIT_REQUIREMENTS), [str(python(FIT_REQUIREMENTS)), "-B", *sys.argv])


def fit_versions():
    """{package: version} of the peers of fits that are installed."""
    wanted = pinned(FIT_REQUIREMENTS.read_text())
    return {name: wanted[name].split("==")[1] for group, names in FIT_GROUPS.items() if is_there(group, FIT_REQUIREMENTS) for name in names}


if __name__ == "__main__":
    install()
    print(python())
