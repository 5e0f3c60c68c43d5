"""Jobs of several ranks that end midway: killed, interrupted, out of memory."""
import os
import re
import resource
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import made
from jobs import CHECKS, OURS, PROGRAM, environment, files_in, launch

PATIENCE_S = 10  # for the end of a job that cannot go on
LONG = 1 << 23  # particles, 12 bytes each


def rank_of(values):
    """By the environment of a process, as Open MPI, MPICH or Slurm made it; None: no rank."""
    for name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK", b"SLURM_PROCID"):
        if name in values:
            return int(values[name])
    return None


def ranks_of(launcher):
    """Process numbers of the ranks that a launcher has started, by rank."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit() or (entry / "exe").resolve() != PROGRAM:
                continue
            words = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        values = dict(word.split(b"=", 1) for word in words if b"=" in word)
        if values.get(b"HALOSCOPE_RANKS_TEST") == str(launcher).encode():
            found[rank_of(values)] = int(entry.name)
    return found


def connected(pid):
    """Whether a rank watches the others: it has loaded the plugin and read its part of LONG."""
    try:
        maps = (Path("/proc") / str(pid) / "maps").read_text()
        read = int(re.search(r"rchar: (\d+)",
                             (Path("/proc") / str(pid) / "io").read_text()).group(1))
    except (OSError, AttributeError):
        return False
    return "haloscope_mpi.so" in maps and read > 12 * LONG // 4


def end_midway(snapshot, name, how, words, command=("halos", "out.hdf5"),
               read_as=("--raw", "Coordinates:u4x3", "--box", "4294967296"), ranks=4):
    """Starts a long command, does something to it by how(launcher's pid, ranks' pids)."""
    mark = f"{os.getpid()}-{name}"
    with tempfile.TemporaryDirectory() as folder:
        job = subprocess.Popen(
            [*launch(ranks), str(PROGRAM), command[0], str(snapshot), *read_as, "-o", command[1]],
            cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(HALOSCOPE_RANKS_TEST=mark))
        end = time.monotonic() + 30
        pids = {}
        while time.monotonic() < end and job.poll() is None:
            pids = ranks_of(mark)
            if len(pids) == ranks and all(connected(pid) for pid in pids.values()):
                break
            time.sleep(0.02)
        CHECKS.that(job.poll() is None and len(pids) == ranks, f"{name}: the job ended too early")
        began = time.monotonic()
        how(job.pid, pids)
        try:
            _, err = job.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            job.kill()
            _, err = job.communicate()
        took = time.monotonic() - began
        while ranks_of(mark) and time.monotonic() < began + PATIENCE_S:
            time.sleep(0.05)
        left = ranks_of(mark)
        for pid in left.values():
            os.kill(pid, signal.SIGKILL)
        CHECKS.that(took < PATIENCE_S and not left, f"{name}: ended after {took:.1f} s, left {left}")
        told = OURS.findall(err)
        CHECKS.that(len(told) == 1, f"{name}: {len(told)} sentences of ours: {err}")
        CHECKS.that(re.search(words, err) is not None, f"{name}: does not say '{words}': {err}")
        CHECKS.that(job.returncode != 0, f"{name}: exit code 0")
        CHECKS.that(not files_in(folder), f"{name}: left {list(files_in(folder))}")
        print(f"{name}: {took:.1f} s", flush=True)


def leave_no_memory(pid):
    """Lets a rank take 24 MiB more: less than its particles need."""
    pages = int((Path("/proc") / str(pid) / "statm").read_text().split()[0])
    most = pages * resource.getpagesize() + (24 << 20)
    resource.prlimit(pid, resource.RLIMIT_AS, (most, most))


def abort_0_and_kill_1(_, pids):
    """As an MPI that aborts where it meets a dead rank, only that it is known to come first."""
    os.kill(pids[0], signal.SIGABRT)
    time.sleep(0.5)
    os.kill(pids[1], signal.SIGKILL)


def interrupt_writing(folder, number):
    """SIGTERM on the launcher once rank 0 writes: an end with a sentence, or a whole file without."""
    sample = Path(__file__).resolve().parents[2] / "assets" / "sample.hdf5"
    with tempfile.TemporaryDirectory(dir=folder) as place:
        job = subprocess.Popen([*launch(3), str(PROGRAM), "grid", str(sample), "-o", "big.hdf5",
                                "--size", "640"], cwd=place, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment())
        end = time.monotonic() + 60
        while job.poll() is None and time.monotonic() < end and not os.listdir(place):
            time.sleep(0.005)
        # At another moment of the writing each time.
        time.sleep(0.3 * number)
        job.send_signal(signal.SIGTERM)
        try:
            out, err = job.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            job.kill()
            out, err = job.communicate()
        told, left = OURS.findall(err), sorted(os.listdir(place))
        stopped = len(told) == 1 and "; nothing was written" in err and not left
        whole = not told and left == ["big.hdf5"] and "wrote big.hdf5" in out
        # Where the disk was slow to flush the folder after the renaming.
        late = len(told) == 1 and "; big.hdf5 was written" in err and left == ["big.hdf5"]
        CHECKS.that(stopped or whole or late, f"interrupted while writing ({number}): left {left}: {out} {err}")


def check_ended(folder):
    for number in range(2):
        interrupt_writing(folder, number)
    snapshot = folder / "many"
    made.many(snapshot, LONG)
    host = re.escape(socket.gethostname())
    for rank in (0, 1, 3):
        end_midway(snapshot, f"rank {rank} killed",
                   lambda launcher, pids, rank=rank: os.kill(pids[rank], signal.SIGKILL),
                   f"rank {rank} of 4 on {host} ended without a word")
    end_midway(snapshot, "rank 1 killed, of which MPI aborts rank 0", abort_0_and_kill_1,
               f"rank 1 of 4 on {host} ended without a word")
    for rank in (0, 2):
        end_midway(snapshot, f"rank {rank} killed while drawing",
                   lambda launcher, pids, rank=rank: os.kill(pids[rank], signal.SIGKILL),
                   f"rank {rank} of 4 on {host} ended without a word", ("render", "out.png"))
    for rank, command in ((0, ("halos", "out.hdf5")), (2, ("halos", "out.hdf5")),
                          (1, ("render", "out.png"))):
        end_midway(snapshot, f"rank {rank} out of memory ({command[0]})",
                   lambda launcher, pids, rank=rank: leave_no_memory(pids[rank]),
                   rf"memory.*\(rank {rank} of 4 on {host}\)", command)
    # The same numbers as cells of a grid.
    end_midway(snapshot, "rank 3 killed in a merge tree",
               lambda launcher, pids: os.kill(pids[3], signal.SIGKILL),
               f"rank 3 of 4 on {host} ended without a word", ("topology", "out.npy"),
               ("--raw-grid", f"u4:256x256x{3 * LONG // 65536}"))
    end_midway(snapshot, "Ctrl-C in a merge tree",
               lambda launcher, pids: os.kill(pids[1], signal.SIGINT),
               rf"interrupted \(rank 1 of 4 on {host}\); nothing was written",
               ("topology", "out.npy"), ("--raw-grid", f"u4:256x256x{3 * LONG // 65536}"))
    end_midway(snapshot, "Ctrl-C on one rank",
               lambda launcher, pids: os.kill(pids[2], signal.SIGINT),
               rf"interrupted \(rank 2 of 4 on {host}\); nothing was written")
    end_midway(snapshot, "Ctrl-C on the launcher",
               lambda launcher, pids: os.kill(launcher, signal.SIGINT),
               rf"interrupted \(rank \d of 4 on {host}\); nothing was written")
