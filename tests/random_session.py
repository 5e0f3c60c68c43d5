"""Writes a session of random commands, valid and not, for `haloscope view --headless --run`.

    python3 tests/random_session.py SEED COUNT SNAPSHOT > session.txt

The same seed gives the same session. Every command of the table comes but quit; what is written
goes to the working folder, and no other snapshot than SNAPSHOT is opened. About one command in six
is refused by the program, so play it with --keep-going. scripts/soak plays one after another.
"""

import random
import sys

TYPES = ["all", "gas", "dm", "stars", "0", "1", "4"]
MAPS = ["viridis", "magma", "gist_heat", "auto", "nonsense"]
PANELS = ["all", "file", "particles", "camera", "halos", "mass_function", "selection", "path", "export",
          "log", "keys", "settings", "commands"]
PAGES = ["look", "camera", "find", "select", "film", "output", "off", "toggle", "fnid"]
TABS = ["table", "plots", "time", "log", "off", "toggle", "tabel"]
OVERLAYS = ["color_bar", "scale_bar", "physical_scale_bar", "time", "box", "axes", "pieces", "halos", "labels",
            "path"]
SWITCHES = ["on", "off", "toggle"]


class Session:
    def __init__(self, seed, snapshot):
        self.random = random.Random(seed)
        self.snapshot = snapshot

    def number(self, low, high):
        """Between the limits; now and then a hostile one."""
        if self.random.random() < 0.06:
            return self.random.choice(["0", "-1", "1e300", "-1e300", "1e-300", "1e19", "-0"])
        return f"{self.random.uniform(low, high):.6g}"

    def length(self):
        return self.number(0, 100) + self.random.choice(["%", "%", ""])

    def size(self):
        if self.random.random() < 0.15:
            return self.random.choice([(1, 1), (1, 900), (2000, 1), (2, 3)])
        return self.random.randint(1, 2000), self.random.randint(1, 1500)

    def commands(self):
        """Weight and maker of each command of the table."""
        pick, number, length = self.random.choice, self.number, self.length
        halo = lambda: pick(["", "", "0", "1", "5", "100", "100000"])
        key = lambda: pick(["1", "2", "3", "0", "99"])
        name = lambda: pick(["a", "a", "b", "b", "c", "selection", "d"])
        operand = lambda: pick(["a", "b", "c", "selection"])
        operation = lambda: pick(["union", "intersection", "difference", "difference", "sum"])
        return {
            "orbit": (8, lambda: f"{number(-90, 90)} {number(-90, 90)}"),
            "pan": (4, lambda: f"{number(-0.3, 0.3)} {number(-0.3, 0.3)}"),
            "zoom": (6, lambda: f"{number(0.3, 3)} {number(-0.5, 0.5)} {number(-0.3, 0.3)}"),
            "roll": (2, lambda: number(-90, 90)),
            "fly": (3, lambda: f"{number(-0.5, 0.5)} {number(-0.5, 0.5)} {number(-0.5, 0.5)}"),
            "look": (2, lambda: f"{number(-40, 40)} {number(-40, 40)}"),
            "reset": (3, lambda: ""),
            "fit": (3, lambda: ""),
            "glide_to": (3, lambda: f"{length()} {length()} {length()} {length()}"),
            "fly_to_halo": (3, halo),
            "projection": (2, lambda: pick(["perspective", "orthographic", "toggle", "mercator"])),
            "fov": (2, lambda: number(1, 170)),
            "tiling": (1, lambda: pick(SWITCHES)),
            "bookmark": (1, lambda: pick(["a", '"b c"', '""'])),
            "go_to_bookmark": (1, lambda: pick(["a", '"b c"', "none"])),
            "forget_bookmark": (1, lambda: pick(["a", "none"])),
            "show": (2, lambda: pick(TYPES)),
            "hide": (2, lambda: pick(TYPES + ["bh"])),
            "brightness": (2, lambda: f"{pick(TYPES)} {number(0, 10)}"),
            "smoothing": (2, lambda: f"{pick(TYPES)} {number(0.1, 3)}"),
            "field": (2, lambda: f"{pick(TYPES)} "
                      + pick(["auto", "Temperature", "LocalDensity", "Masses", "Speed", "Sped",
                                "TreePotential"])),
            "color_map": (3, lambda: f"{pick(TYPES + ['slice', 'map'])} {pick(MAPS)}"),
            "ground": (1, lambda: pick(["", "dark", "white"])),
            "letter_size": (1, lambda: pick(["1", "0.25", "2.5", "8", "9"])),
            "map": (2, lambda: pick(["", "gas", "dm", "all", "gas Temperature", "gas Density", "stars"])),
            "next_color_map": (2, lambda: pick(["", "1", "-1", "7", "1e18", "-3.5"])),
            "scale": (2, lambda: f"{pick(TYPES)} {pick(['linear', 'log', 'asinh', 'auto', 'toggle'])}"),
            "limits": (3, lambda: f"{pick(TYPES + ['map'])} {number(-1, 1e4)} {number(1e3, 1e8)}"),
            "auto_limits": (2, lambda: pick(["", "gas", "map"])),
            "exposure": (2, lambda: number(-8, 8)),
            "tone": (1, lambda: pick(["", "1", "0.5 20", "-1 2", "1e-30 1e30"])),
            "gamma": (1, lambda: number(0.01, 3)),
            "overlay": (4, lambda: f"{pick(OVERLAYS)} {pick(SWITCHES)}"),
            "find_halos": (2, lambda: pick(["", "0.2 32 2", "0.1 10", "0.3 20 5", "0.2 32 2 0.1%",
                                            "0 1 1", "1e9", "0.2 1 1"])),
            "find": (2, lambda: pick(["halos " + pick(["", "linking_length=0.2", "attach=none min_members=10",
                                                       "types=gas attach=dm", "epsilon=0.2% min_points=3",
                                                       "sub_linking_length=0.1", "sub_halos=3", "epsilon=-1",
                                                       "min_points=1", "min_member=5", "linking_length=1e9"]),
                                      "clusters " + pick(["", "min_cluster_size=100", "types=gas,stars",
                                                          "cut=spacings:0.2 linkage=single min_cluster_size=32",
                                                          "cut=count:50", "cut=distance:1e9", "cut=0.2",
                                                          "linkage=single", "select=leaf cluster_epsilon=1%",
                                                          "allow_single_cluster=on max_cluster_size=500",
                                                          "min_samples=66", "cut=count:3 select=leaf"]),
                                      "whole " + pick(["", "types=gas"]),
                                      "peaks " + pick(["grid=32 smooth=1cells", "grid=24 persistence=mean:5",
                                                       "grid=32 halos=82,200", "grid=32 voids=0.2,0.2",
                                                       "grid=24 voids=0.2"])])),
            "load_halos": (2, lambda: pick(["halos.hdf5", "halos.csv", "c.hdf5", "", "none.list", "c.csv Subhalo"])),
            "select": (1, lambda: pick(["clusters ", "loaded_halos "]) + halo()),
            "fly_to": (1, lambda: pick(["clusters ", "loaded_halos "]) + halo()),
            "color_by": (1, lambda: pick(["clusters", "clusters probability", "clusters outlier_score",
                                          "clusters height", "loaded_halos"])),
            "structures": (1, lambda: pick(["halos", "clusters", "peaks", "loaded_halos", "whole"])),
            "cut": (3, lambda: pick(["clusters ", "clusters ", "halos ", "peaks "])
                    + pick(["spacings:0.2", "count:300", "count:50 10", "distance:200 5", "distance:1e9", "off", "off 50",
                            "0.2", "spacings:0 1", "count:1e3"])),
            "select_pairs": (1, lambda: pick(["peaks", "peaks 5 500 0.1 50", "peaks 5 5 1 2", "halos 1 2 3 4", "peaks 1 2"])),
            "slice": (2, lambda: pick(["x", "y", "z", "off", "w", "z off"]) + pick(["", "", " " + length()])),
            "profile": (1, lambda: pick(["", "off", f"at {length()} {length()} {length()}", "halos 0",
                                         "peaks 1 bins=4", "nowhere", "at 1 2"])),
            "phase": (1, lambda: pick(["", "off", "Density", "Density bins=4", "x=Speed weight=count",
                                       "Densty", "y=Density"])),
            "ruler": (1, lambda: pick(["off", " ".join(length() for _ in range(6)), "1 2 3"])),
            "slab": (2, lambda: pick(["off", length(), f"{pick('xyz')} {length()} {length()}", "w 1"])),
            "slice_opacity": (1, lambda: number(0, 1)),
            "select_branch": (1, lambda: "clusters " + pick(["0", "1", "3", "17", "1e9"])),
            "export": (1, lambda: "clusters " + pick(["c.hdf5", "c.csv", "c.npy", "c.xyz", "/nowhere/c.npy"])),
            "select_halo": (3, halo),
            "color_by_halo": (1, lambda: pick(SWITCHES)),
            "export_halos": (1, lambda: pick(["halos.hdf5", "halos.csv", "halos.xyz", "/nowhere/h.csv"])),
            "export_plot": (1, lambda: "mass_function " + pick(["m.csv", "m.svg", "m.png", "m.pdf", "/nowhere/m.svg"])),
            "select_box": (2, lambda: " ".join(length() for _ in range(6))),
            "set": (4, lambda: f"{name()} {pick(['', '', 'orange', 'own', 'ff8800', 'beige'])}"),
            "combine_sets": (3, lambda: f"{name()} {operand()} {operation()} {operand()}"),
            "set_color": (2, lambda: f"{name()} {pick(['sky', 'own', '0000ff', 'fff'])}"),
            "show_set": (2, lambda: f"{name()} {pick(SWITCHES)}"),
            "remove_set": (1, lambda: name()),
            "show_sets": (5, lambda: pick(["off", "highlight", "dim", "only", "all"])),
            "follow": (1, lambda: pick(["a", "b", "off", "nobody"])),
            "select_sphere": (1, lambda: " ".join(length() for _ in range(4))),
            "select_members": (1, lambda: pick([halo(), halo(), pick(["0", "1"]) + " followed"])),
            "select_value": (1, lambda: f"Temperature {number(1, 1e4)} {number(1e3, 1e8)}"),
            "select_values": (1, lambda: f"Temperature {number(1, 1e4)} {number(1e3, 1e8)} "
                              f"{pick(['Density', 'Coordinates[0]', 'Odd'])} {number(-1, 1)} {number(0, 1e4)}"),
            "select_lasso": (2, lambda: pick(["-0.2 -0.1 0.2 -0.1 0 0.3", "0 0 1 1", "0 0 1",
                                              " ".join(number(-0.5, 0.5) for _ in range(12))])),
            "brush": (2, lambda: pick(["phase", "histogram", "profile_density", "mass_function", "none",
                                       "mass_ratios", "compared_counts", "both_mass_functions", "dendrogram", "condensed_tree"])
                      + f" {number(0, 10)} {number(5, 1e9)}" + pick(["", "", " 1 1e6", " 1"])),
            "select_none": (1, lambda: ""),
            "count_selection": (1, lambda: ""),
            "compare": (2, lambda: pick(["", "off", "halos linking_length=0.15", "halos linking_length=0.28",
                                         "loaded_halos", "peaks", "whole", "halos linking_length=-1"])),
            "show_compared": (1, lambda: pick(["first", "second", "both", "differences", "all"])),
            "show_look": (2, lambda: pick(["gas", "dark_matter", "stars", "composite", "map", "dust"])),
            "show_snapshot": (1, lambda: pick(["0", "last", "1", "-1"])),
            "follow_ids": (1, lambda: pick(SWITCHES)),
            "export_selection": (1, lambda: pick(["selection.hdf5", "/nowhere/s.hdf5"])),
            "add_key": (3, lambda: pick(["", "", number(0, 10)])),
            "move_key": (1, lambda: f"{key()} {number(0, 10)}"),
            "delete_key": (1, key),
            "go_to_key": (2, key),
            "go_to_time": (2, lambda: number(-1, 12)),
            "clear_path": (1, lambda: ""),
            "save_path": (1, lambda: pick(["path.toml", "/nowhere/p.toml"])),
            "load_path": (1, lambda: pick(["path.toml", "absent.toml"])),
            "preview_path": (1, lambda: ""),
            "export_frames": (1, lambda: pick(["frames/%05d.png 10 2 64x48", 'f.avi 30', "film.mp4 10 2 64x48 off"])),
            "open": (1, lambda: f'"{self.snapshot}"'),
            "next_snapshot": (1, lambda: ""),
            "previous_snapshot": (1, lambda: ""),
            "play": (1, lambda: pick(SWITCHES)),
            "screenshot": (2, lambda: pick(["a.png", "a.png bare", "a.exr", "a.png window", "a.png transparent",
                                            "a.jpg transparent", "a.png overlays 300x200", "/nowhere/a.png"])),
            "save_state": (1, lambda: pick(["state.toml", "/nowhere/s.toml"])),
            "load_state": (1, lambda: pick(["state.toml", "absent.toml", '""'])),
            "undo": (4, lambda: ""),
            "redo": (2, lambda: ""),
            "one_step": (1, lambda: pick(["on", "off", "off"])),
            "copy_view": (1, lambda: ""),
            "paste_view": (1, lambda: ""),
            "size": (4, lambda: "{} {}".format(*self.size())),
            "start_size": (1, lambda: pick(["now", "last", "1280x800", "0x1", "wide"])),
            "keep_lengths": (1, lambda: pick(["beside", "cache", "nowhere"])),
            "forget": (1, lambda: pick(["files", "commands"])),
            "ui_scale": (2, lambda: pick(["1", "0.25", "2.5", "8", "9", "1.3"])),
            "panel": (3, lambda: pick(PANELS)),
            "layout": (2, lambda: pick(["explore", "analyse", "present", "anything"])),
            "inspector": (4, lambda: f"{pick(PAGES)} {pick(['', '', 'pin'])}"),
            "shelf": (3, lambda: pick(TABS)),
            "shelf_height": (2, lambda: number(0.1, 0.65)),
            "cancel": (4, lambda: pick(["", "last", "open", "halos", "export", "count"])),
            "tell": (2, lambda: pick(["camera", "snapshot", "structures", "structures peaks", "piece clusters 0",
                                      "piece", "selection", "picture", "state", "camera halos", "all"])),
            "wait": (4, lambda: ""),
        }

    def lines(self, count):
        table = self.commands()
        names, weights = list(table), [weight for weight, _ in table.values()]
        for name in self.random.choices(names, weights, k=count):
            yield f"{name} {table[name][1]()}".strip()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    for line in Session(int(sys.argv[1]), sys.argv[3]).lines(int(sys.argv[2])):
        print(line)
