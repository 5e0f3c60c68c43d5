#!/usr/bin/env python3
"""Writes assets/palettes/*.pal: 256 entries each, from the tables of matplotlib, cmocean and cmasher.

Needed only to add or remake a palette; the files it wrote are in the repository. Use a throw-away
environment:

    python3 -m venv venv && venv/bin/pip install matplotlib cmocean cmasher
    venv/bin/python scripts/make_palettes.py

A map with more or fewer nodes than 256 is read at 256 equal steps from its first color to its last.
Colors are rounded to 8 bits, since .pal files (Splotch's format) hold 0..255. Origins and licenses
are listed in assets/README.md.
"""

import pathlib

import cmasher  # noqa: F401  (registers the cmr.* maps)
import cmocean  # noqa: F401  (registers the cmo.* maps)
import matplotlib
import numpy

PALETTES = {
    "matplotlib": [
        "viridis", "magma", "inferno", "plasma", "cividis", "turbo", "twilight", "gray",
        "hot", "afmhot", "gist_heat", "bone", "cubehelix", "coolwarm", "RdBu",
    ],
    "cmr": [
        "arctic", "eclipse", "ember", "flamingo", "freeze", "gem", "lavender", "nuclear", "ocean",
        "rainforest", "redshift", "sunburst", "voltage",
    ],
    "cmo": ["balance", "deep", "dense", "haline", "ice", "matter", "thermal"],
}


def table(source, name):
    registered = name if source == "matplotlib" else f"{source}.{name}"
    colors = matplotlib.colormaps[registered](numpy.linspace(0.0, 1.0, 256))[:, :3]
    return numpy.rint(colors * 255).astype(int)


def main():
    folder = pathlib.Path(__file__).resolve().parent.parent / "assets" / "palettes"
    folder.mkdir(parents=True, exist_ok=True)
    for source, names in PALETTES.items():
        for name in names:
            rows = "".join(f"{r} {g} {b}\n" for r, g, b in table(source, name))
            (folder / f"{name}.pal").write_text(f"{name}\n0100\n256\n{rows}")
            print(f"{source:10} {name}")


if __name__ == "__main__":
    main()
