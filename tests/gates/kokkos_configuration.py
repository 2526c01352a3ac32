# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration headers that make an installed Kokkos without a device backend compile for a device.

Five files say which backends Kokkos has. They are copied from the installation and edited, and stand in front of it on
the include path. Nothing is linked, so no library of that backend is needed. Deprecated code is off: what compiles so
compiles with the next Kokkos too.
"""

import re

KINDS = {"Declare": "decl", "Fwd": "fwd", "Setup": "setup"}
# backend -> how its set-up header spells it, and the names of Kokkos' architecture for each target
SETUP_NAME = {"CUDA": "Cuda", "HIP": "HIP"}
ARCHITECTURES = {
    "sm_90": ("HOPPER", "HOPPER90"),
    "gfx90a": ("AMD_GPU", "AMD_GFX90A"),
    "gfx942": ("AMD_GPU", "AMD_GFX942"),
}


class NotAsExpected(RuntimeError):
    """A header of the installed Kokkos has not the line that is edited."""


def switch_on(text, macro, name):
    off = f"/* #undef {macro} */"
    if off not in text:
        raise NotAsExpected(f"{name} has no line '{off}'; which backends a Kokkos has must be said elsewhere by now:"
                            " mend tests/gates/kokkos_configuration.py")
    return text.replace(off, f"#define {macro}")


def switch_off(text, pattern):
    return re.sub(rf"^#define ({pattern})$", r"/* #undef \1 */", text, flags=re.M)


def core_configuration(text, backend, target, keeps_hosts=False):
    """KokkosCore_config.h for the backend, beside Serial alone or the spaces of hosts that are installed."""
    name = "KokkosCore_config.h"
    if not keeps_hosts:
        text = switch_off(text, r"KOKKOS_ENABLE_(?:OPENMP|THREADS|HPX|DEPRECATED_CODE_\d+)")
        if "#define KOKKOS_ENABLE_SERIAL" not in text:
            text = switch_on(text, "KOKKOS_ENABLE_SERIAL", name)
    for macro in [f"ENABLE_{backend}"] + [f"ARCH_{part}" for part in ARCHITECTURES[target]]:
        text = switch_on(text, f"KOKKOS_{macro}", name)
    # Of AMD's devices Kokkos knows the name, as a string.
    return text.replace("#define KOKKOS_ARCH_AMD_GPU\n", f'#define KOKKOS_ARCH_AMD_GPU "{target}"\n')


def list_of_backends(text, kind, backend, keeps_hosts=False):
    """KokkosCore_Config_KINDBackend.hpp: one include for each backend."""
    folder = KINDS[kind]
    includes = [f"#include <{folder}/Kokkos_{kind}_{SETUP_NAME[backend] if kind == 'Setup' else backend}.hpp>"]
    if not keeps_hosts and kind != "Setup":  # Serial needs no setting up
        includes.insert(0, f"#include <{folder}/Kokkos_{kind}_SERIAL.hpp>")
    guard = re.search(r"^#define \w+$", text, flags=re.M)
    if not guard:
        raise NotAsExpected(f"KokkosCore_Config_{kind}Backend.hpp has no include guard")
    if keeps_hosts:  # hosts come first
        includes = re.findall(r"^#include <.*>$", text, flags=re.M) + includes
    text = re.sub(r"^#include <.*>$", "", text, flags=re.M)
    return text.replace(guard[0], "\n".join([guard[0], *includes]), 1)


def write(kokkos, folder, backend, target, keeps_hosts=False):
    """Writes the five files for a target of a backend to a folder. `kokkos` is the folder of Kokkos_Core.hpp.

    With `keeps_hosts` they fit the installed library, whose spaces of hosts stay; else Serial is the only one.
    """
    def text_of(name):
        file = kokkos / name
        if not file.exists():
            raise NotAsExpected(f"{file} does not exist")
        return file.read_text(encoding="utf-8")

    made = {"KokkosCore_config.h": core_configuration(text_of("KokkosCore_config.h"), backend, target, keeps_hosts)}
    for kind in KINDS:
        name = f"KokkosCore_Config_{kind}Backend.hpp"
        made[name] = list_of_backends(text_of(name), kind, backend, keeps_hosts)
    desul = "desul/atomics/Config.hpp"
    made[desul] = switch_on(text_of(desul), f"DESUL_ATOMICS_ENABLE_{backend}", desul)
    for name, text in made.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def version_of(kokkos):
    """5.2.2, from the headers."""
    text = (kokkos / "KokkosCore_config.h").read_text(encoding="utf-8")
    parts = [re.search(rf"^#define KOKKOS_VERSION_{part} (\d+)$", text, flags=re.M) for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(part[1] for part in parts)
