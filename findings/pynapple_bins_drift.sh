#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# pynapple 0.11.2 and 0.11.4: Ts.count(bin_size) makes each edge from the one before, rounded to 1e-9 s. So edges drift from
# k * bin_size where that is not a whole number of nanoseconds: by 10 ns a second for 1/30 s, and by 10 us a second, which is
# a whole bin after 3 s, for 1/30000 s. Prints "holds" while this is so, with what each version counts.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/count.py" <<'PYTHON'
import sys
import warnings

warnings.filterwarnings("ignore")
import numpy as np
import pynapple as nap

drifts = []
for name, rate, n in (("1/30 s", 30, 3000), ("1/30000 s", 30000, 90000), ("10 ms", 100, 3000)):
    for place, behind in (("edges", 0.0), ("centers", 0.5)):
        events = nap.Ts((np.arange(n) + behind) / rate)
        counts = events.count(1 / rate, ep=nap.IntervalSet(0, n / rate))
        values, centers = np.asarray(counts.values).ravel(), np.asarray(counts.t)
        drift = np.abs(centers - (np.arange(len(centers)) + 0.5) / rate).max() * 1e9
        print(f"  pynapple {nap.__version__}, bins of {name}, an event at each of the {place}: {len(values)} bins, not 1 event "
              f"in {int((values != 1).sum())} of them; centers are off by up to {drift:.0f} ns")
        drifts.append(drift > 1)
sys.exit(0 if drifts == [True, True, True, True, False, False] else 1)
PYTHON
held=yes
for version in 0.11.2 0.11.4; do
  python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install --quiet "pynapple==$version" numpy==2.3.5
  "$folder/$version/bin/python" "$folder/count.py" || held=no
done
if [ "$held" = yes ]; then echo "holds"; else echo "does not hold any more"; exit 1; fi
