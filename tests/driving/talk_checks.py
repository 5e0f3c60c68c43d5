"""What is sent is done, answered, recorded, and seen in the files that are written."""

import base64
import os
import re
import signal
import subprocess
import sys
import time

from client import PATIENCE, Program, need

PAGE = os.path.join(os.path.dirname(__file__), "../../docs/user/driving.md")


def listing(name):
    with open(PAGE, encoding="utf-8") as file:
        return re.search(rf"```python {re.escape(name)}\n(.*?)```", file.read(), re.DOTALL)[1]


def run_listing(name, program, folder, words=()):
    """As a reader would, who has the program in the PATH."""
    os.makedirs(f"{folder}/bin", exist_ok=True)
    if not os.path.exists(f"{folder}/bin/haloscope"):
        os.symlink(program, f"{folder}/bin/haloscope")
    with open(f"{folder}/{name}", "w") as file:
        file.write(listing(name))
    return subprocess.run([sys.executable, name, *words], cwd=folder, capture_output=True,
                          text=True, timeout=PATIENCE,
                          env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"})


def is_png(path):
    with open(path, "rb") as file:
        return file.read(8) == b"\x89PNG\r\n\x1a\n"


def check_example(program, snapshot, folder):
    done = run_listing("drive.py", program, folder, [snapshot])
    need(done.returncode == 0, "drive.py: " + done.stderr)
    for part in ("'protocol': 1", "114 halos", "the largest one lies at [", "largest.png']"):
        need(part in done.stdout, f"drive.py does not say {part}: {done.stdout}")
    need(is_png(f"{folder}/largest.png"), "drive.py wrote no picture")


def check_example_of_connecting(program, snapshot, folder):
    with Program(program, folder, [snapshot]) as session:
        session.client().close()
        done = run_listing("connect.py", program, folder)
        need(done.returncode == 0, "connect.py: " + done.stderr)
        need(is_png(f"{folder}/seen.png"), "connect.py wrote no picture")


def check_answers(program, snapshot, folder):
    with Program(program, folder, ["--record", "record.txt"]) as session:
        client = session.client()
        greeting = client.greeting
        need(greeting["program"] == "haloscope" and greeting["protocol"] == 1, str(greeting))
        need(re.match(r"\d+\.\d+", greeting["version"]), str(greeting))
        opened = client.done(f"open {snapshot}")
        need(opened["command"] == 1 and opened["values"]["particles"]["dm"] == 110592, str(opened))
        found = client.done("find halos min_members=100")
        need(found["values"]["count"] == 114 and found["said"] == ["114 halos"], str(found))
        # A search that ended says what the command line says, and the answer is not early.
        piece = client.done("select halos 0")["values"]
        need(piece["properties"]["Members"]["value"] > 10000 and piece["radius"] > 0, str(piece))
        camera = client.done("fly_to halos 0")["values"]
        need(camera["center"] == piece["center"], f"{camera} is not at {piece}")
        count = client.done("select_members")["values"]
        need(count["count"] == piece["properties"]["Members"]["value"], str(count))
        need("no command 'nonsense'" in client.fault("nonsense"), "nonsense is done")
        need(client.ask("")["done"] and client.ask("  # a remark")["done"], "empty lines")
        wrote = client.done("screenshot a.png bare 64x48")
        need(wrote["files"] == [f"{os.path.realpath(folder)}/a.png"], str(wrote))
        need(is_png(f"{folder}/a.png"), "an answer came before its picture")
        client.done("save_state s.toml")
        need(client.done("save_state s.toml")["files"][0].endswith("/s.toml"), "no file is told")
        need("a.png" in client.fault("screenshot /nowhere/a.png"), "a picture in no folder")
        need(client.done("export halos h.csv")["files"][0].endswith("/h.csv"), "no catalog")
        last = client.done("quit")
        need(last["command"] == 14, str(last))
        need(client.at_end(), "something comes after the end")
        session.wait_end()
    with open(f"{folder}/record.txt") as file:
        recorded = [line.split(maxsplit=1)[1].split()[0] for line in file if line[0] == "@"]
    need(recorded == ["open", "find", "select", "fly_to", "select_members", "screenshot",
                      "save_state", "save_state", "export", "quit"], str(recorded))


def check_tell(program, snapshot, folder):
    with Program(program, folder, [snapshot]) as session:
        client = session.client()
        need(client.done("tell snapshot")["values"]["box_size"] == 18000, "no box")
        picture = client.done("tell picture")["values"]
        client.done(f"screenshot b.png overlays {picture['width']}x{picture['height']}")
        with open(f"{folder}/b.png", "rb") as file:
            need(base64.b64decode(picture["base64"]) == file.read(), "the bytes of a picture")
        need("halos have not been found" in client.fault("tell structures"), "halos of nowhere")
        need("nothing is selected" in client.fault("tell selection"), "a count of nothing")
        need("[camera]" in client.done("tell state")["values"]["state"], "no state")
        need("no map is shown" in client.fault("tell_value 0 0"), "a value of no map")
        client.send("map gas\ntell_value 0 0\nshow_look composite\n")
        answers = [client.read() for _ in range(3)]
        need(all(answer["done"] for answer in answers), str(answers))
        value = answers[1]["values"]
        need(value["value"] > 0 and value["quantity"] == "surface density", str(value))
        before = client.done("tell camera")["values"]
        after = client.done("orbit 90 0")["values"]
        need(before["center"] == after["center"] and before["eye"] != after["eye"], str(after))
        # The answer is that of the frame behind the command, in which the picture has its size.
        seen = client.done("size 320 200")["values"]["pixels"]
        need(seen[0] <= 320 and seen[1] <= 200, f"the picture has {seen} pixels after its resize")


def check_order_and_cancel(program, snapshot, folder):
    with Program(program, folder, [snapshot]) as session:
        client = session.client()
        client.send("export_frames frames/%05d.png 10 2000 1280x800\ncancel\ntell camera\nfnid\n")
        answers = [client.read() for _ in range(4)]
        need([a["command"] for a in answers] == [1, 2, 3, 4], str(answers))
        # It has no path yet: a fault of its own, and nothing to stop.
        need(not answers[0]["done"] and answers[1]["done"] and answers[2]["done"], str(answers))
        client.send("add_key 0\norbit 60 0\nadd_key 100\n")
        need(all(client.read()["done"] for _ in range(3)), "a path")
        client.send("export_frames frames/%05d.png 10 1000 1280x800\n")
        time.sleep(1)
        client.send("cancel\ntell camera\n")
        begin = time.time()
        film, cancel, camera = (client.read() for _ in range(3))
        need(time.time() - begin < 20, "cancel waits for what it shall stop")
        need(not film["done"] and "cancel" in film["fault"], str(film))
        need(cancel["done"] and camera["done"], f"{cancel} {camera}")


def check_compare_stopped(program, snapshot, folder):
    with Program(program, folder, [snapshot]) as session:
        client = session.client()
        found = client.done("find halos linking_length=0.15")["values"]["count"]
        client.send("compare halos linking_length=0.28 min_members=20\ncancel compare\n")
        compare, cancel = client.read(), client.read()
        need(not compare["done"] and "cancel" in compare["fault"], str(compare))
        need(cancel["done"], str(cancel))
        need("nothing is compared" in session.said(), session.said())
        need(client.done("tell structures halos")["values"]["count"] == found, "A has changed")
        # And once more, to its end.
        said = client.done("compare halos linking_length=0.28 min_members=20")["said"]
        need(any("Pairs" in line for line in said), str(said))


def check_standard_streams(program, snapshot, folder):
    lines = f"open {snapshot}\nfind halos\ntell structures\nhalf a li"
    words = [program, "view", "--headless", "--device", "cpu", "--no-cache", "--listen", "-"]
    done = subprocess.run(words, input=lines, cwd=folder, capture_output=True, text=True,
                          timeout=PATIENCE)
    need(done.returncode == 0, f"it ended with {done.returncode}: {done.stderr}")
    answers = done.stdout.splitlines()
    need(len(answers) == 5 and all(a.startswith("{") for a in answers), done.stdout)
    need("middle of a line" in answers[4], answers[4])
    need("halos" in done.stderr, "what is said is nowhere: " + done.stderr)
    done = subprocess.run(words, stdin=subprocess.DEVNULL, cwd=folder, capture_output=True,
                          text=True, timeout=PATIENCE)
    need(done.returncode == 0 and done.stdout.count("\n") == 1, done.stdout + done.stderr)


def check_interrupt(program, snapshot, folder):
    with Program(program, folder, [snapshot]) as session:
        client = session.client()
        client.done("tell camera")
        client.send("play on\n" + "find halos linking_length=0.21\n" * 3)
        session.process.send_signal(signal.SIGINT)
        session.wait_end(130)
        need("Traceback" not in session.said(), session.said())
