"""Snapshots that the checks of several ranks make themselves, with the standard library alone."""
import os
import random
import struct

BOX = 10000.0  # kpc/h
OMEGA, HUBBLE = 0.3, 0.7
CRITICAL = 27.7536627e-9  # 1e10 Msun/h per (kpc/h)^3
GAS_SHARE = 0.16


def record(data):
    return struct.pack("<I", len(data)) + data + struct.pack("<I", len(data))


def gadget(path, gas, dark, seed=1):
    """A file of GADGET's format 1: lists of positions of gas and dark matter."""
    rng = random.Random(seed)
    matter = OMEGA * CRITICAL * BOX**3
    masses = [GAS_SHARE * matter / max(1, len(gas)), (1 - GAS_SHARE) * matter / max(1, len(dark))]
    counts = [len(gas), len(dark), 0, 0, 0, 0]
    header = struct.pack("<6I6dddii6IiiddddiI", *counts, *masses, 0, 0, 0, 0, 1.0, 0.0, 0, 0,
                         *counts, 0, 1, BOX, OMEGA, 1 - OMEGA, HUBBLE, 0, 0)
    everyone = gas + dark
    ids = list(range(1, len(everyone) + 1))
    rng.shuffle(ids)
    with open(path, "wb") as file:
        file.write(record(header.ljust(256, b"\0")))
        file.write(record(b"".join(struct.pack("<3f", *p) for p in everyone)))
        file.write(record(b"".join(struct.pack("<3f", *(rng.gauss(0, 200) for _ in range(3)))
                                   for _ in everyone)))
        file.write(record(struct.pack(f"<{len(ids)}I", *ids)))
        if gas:
            file.write(record(struct.pack(f"<{len(gas)}f", *(1000.0 for _ in gas))))


def universe(path, seed=3, gas_particles=900):
    """Clumps of all sizes, one around the corner of the box and a bridge along an edge of it."""
    rng = random.Random(seed)
    centers = [(0, 0, 0)] + [tuple(rng.uniform(0, BOX) for _ in range(3)) for _ in range(40)]
    dark = [tuple(rng.uniform(0, BOX) for _ in range(3)) for _ in range(1200)]
    for number, center in enumerate(centers):
        for _ in range(1500 // (number + 1) + 30):
            dark.append(tuple((c + rng.gauss(0, 60)) % BOX for c in center))
    dark += [(x * BOX / 400, 3.0, BOX - 3.0) for x in range(400)]
    rng.shuffle(dark)
    gas = [tuple((c + rng.gauss(0, 300)) % BOX for c in rng.choice(centers)) for _ in range(gas_particles)]
    gadget(path, gas, dark)


def many(path, count, seed=None):
    """So many positions, evenly at random, that a search among them takes seconds: u4x3."""
    with open(path, "wb") as file:
        file.write(random.Random(seed).randbytes(12 * count) if seed else os.urandom(12 * count))


def grid(path, shape, seed, kind="f4"):
    """An array of NumPy of few different values above 0, so that many neighbors are equal."""
    rng = random.Random(seed)
    count = 1
    for cells in shape:
        count *= cells
    make = {"f4": lambda n: 0.013 + 0.37 * n, "f8": lambda n: 7 + n * 1e-12 if n % 3 else 7.0 + n,
            "i8": lambda n: 2**60 + n if n % 3 else n, "u1": lambda n: 5 + n}[kind]
    code = {"f4": "f", "f8": "d", "i8": "q", "u1": "B"}[kind]
    order = "|" if kind == "u1" else "<"
    axes = ", ".join(str(n) for n in shape)
    head = f"{{'descr': '{order}{kind}', 'fortran_order': False, 'shape': ({axes}), }}"
    head = head.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack(f"<{count}{code}", *(make(rng.randrange(40)) for _ in range(count))))
