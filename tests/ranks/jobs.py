"""Jobs of haloscope on one process and on several ranks of MPI, and what is asked of them."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
import png  # noqa: E402
from checks import Checks  # noqa: E402

PROGRAM = Path(sys.argv[1]).resolve()
# Another launcher than Open MPI's, as "mpiexec.mpich" or "srun --overcommit --mpi=pmix"; the plugin
# that fits it is named by HALOSCOPE_MPI.
LAUNCHER = os.environ.get("HALOSCOPE_LAUNCHER", "mpirun").split()
# Where a check names none: .ci/run leaves out 4, which the checks of a few numbers have.
RANKS = tuple(int(number) for number in os.environ.get("HALOSCOPE_TEST_RANKS", "2,3,4").split(","))
LIMIT_S = 100
OURS = re.compile(r"^haloscope: (?:error: |interrupted|warning: )", re.MULTILINE)
CHECKS = Checks()


def environment(**more):
    # Ranks may be more than cores, and a container may have no user but root.
    return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader,tcp",
            # Else ranks have a core each, of which a machine with many cores is warned.
            "OMPI_MCA_hwloc_base_binding_policy": "none",
            **more}


def launch(ranks):
    return [*LAUNCHER, "-n", str(ranks)] if ranks > 1 else []


def run(ranks, words, folder, **more):
    return subprocess.run([*launch(ranks), str(PROGRAM), *words], cwd=folder, text=True,
                          capture_output=True, env=environment(**more), timeout=LIMIT_S, check=False)


def files_in(folder):
    return {p.name: p.read_bytes() for p in Path(folder).iterdir()}


def without_times(text):
    return "\n".join(line for line in text.splitlines()
                     if not line.startswith(("milliseconds", "peak memory")))


def bytes_alike(found, files):
    return found == files


def pixels_alike(found, files):
    """Pictures whose pixels differ by one of 255 at most, and whose texts are the same."""
    return set(found) == set(files) and all(
        png.difference(found[name], files[name]) <= 1 for name in files)


def same_for_all(words, wanted, name, numbers=RANKS, alike=bytes_alike):
    """The files and words of one process and of several ranks."""
    with tempfile.TemporaryDirectory() as folder:
        one = run(1, words, folder)
        files = files_in(folder)
    CHECKS.that(one.returncode == 0 and set(files) == set(wanted),
                f"{name}: one process: {one.returncode} {one.stderr}")
    for ranks in numbers:
        with tempfile.TemporaryDirectory() as folder:
            several = run(ranks, words, folder)
            found = files_in(folder)
        CHECKS.that(several.returncode == 0,
                    f"{name} on {ranks} ranks: {several.returncode} {several.stderr}")
        CHECKS.that(alike(found, files), f"{name} on {ranks} ranks: the files differ from one process's")
        CHECKS.that(without_times(several.stdout) == without_times(one.stdout),
                    f"{name} on {ranks} ranks: {several.stdout} and not {one.stdout}")
        times = re.search(r"^milliseconds on (.*?):", several.stdout, re.MULTILINE)
        CHECKS.that(times is None or times.group(1).endswith(f", {ranks} ranks"),
                    f"{name} on {ranks} ranks: does not say so: {several.stdout}")
        CHECKS.that(several.stderr == one.stderr,
                    f"{name} on {ranks} ranks: {several.stderr} and not {one.stderr}")
    return one


def one_sentence(done, name, words, code=2):
    told = OURS.findall(done.stderr)
    CHECKS.that(len(told) == 1, f"{name}: {len(told)} sentences of ours: {done.stderr}")
    CHECKS.that(re.search(words, done.stderr) is not None,
                f"{name}: does not say '{words}': {done.stderr}")
    # MPICH's launcher ends with 9 where it killed the ranks that were not done in time.
    codes = (code,) if LAUNCHER == ["mpirun"] else (code, 9)
    CHECKS.that(done.returncode in codes, f"{name}: exit code {done.returncode} and not {code}")
