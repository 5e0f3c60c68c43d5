#!/usr/bin/env python3
"""Prints a recording of cuts, for `haloscope view --headless --real-time --replay FILE --stats JSON`.

usage: cuts_recording.py clusters|peaks single|fours START > cuts.txt
  single: 24 cuts, half a second apart; fours: 48 cuts, 50 ms apart by fours, one four a second
  START:  seconds, when the search and its measuring are surely over

The box is that of shared universes: 0.25 Mpc/h per particle. All cuts lie within one `one_step`, for
a replay waits for the measuring before what comes behind it.
"""
import sys


def main(what, mode, start):
    lines = ["# haloscope 0.1.0, a session: haloscope view --replay plays it"]
    if what == "clusters":
        lines.append("@0.500 find clusters min_cluster_size=100 cut=distance:0.05")
    else:
        lines.append("@0.500 find peaks grid=512 smooth=1cells persistence=mean:5")
    lines += ["@0.600 wait", f"@0.700 color_by {what}", f"@{start - 0.1:.3f} one_step on"]
    at = start
    for k in range(24 if mode == "single" else 48):
        part = k * 7 % 24 / 24  # far from the cut before
        where = f"distance:{0.03 + 0.05 * part:.5f}" if what == "clusters" else f"mean:{3 + 17 * part:.4f}"
        lines.append(f"@{at:.3f} cut {what} {where}")
        at += 0.5 if mode == "single" else 0.05 if k % 4 < 3 else 0.85
    lines.append(f"@{at + 0.5:.3f} one_step off")
    print("\n".join(lines))


if len(sys.argv) != 4 or sys.argv[1] not in ("clusters", "peaks") or sys.argv[2] not in ("single", "fours"):
    sys.exit(__doc__)
main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
