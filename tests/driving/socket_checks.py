"""Who may connect, and where a socket can be made."""

import json
import os
import socket
import stat
import subprocess
import sys

from client import PATIENCE, Program, need


def refused(program, folder, path):
    """The sentence with which the program ends at once."""
    done = subprocess.run([program, "view", "--headless", "--listen", path], cwd=folder, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    need(done.returncode == 2, f"{path}: it ended with {done.returncode}: {done.stderr}")
    need(done.stderr.count("\n") == 1 and done.stderr.startswith("haloscope: error: "),
         done.stderr)
    return done.stderr


def check_places(program, _, folder):
    need("can have 107 bytes" in refused(program, folder, "x" * 108), "a long path")
    need("no such file or directory" in refused(program, folder, "no/desk.sock").lower(),
         "a folder that is not there")
    with open(f"{folder}/notes.txt", "w") as file:
        file.write("mine")
    need("no socket has this name" in refused(program, folder, "notes.txt"), "a file of the user")
    need(open(f"{folder}/notes.txt").read() == "mine", "a file of the user is gone")
    need("is no folder" in refused(program, folder, "notes.txt/desk.sock"), "a file as a folder")
    os.symlink("nothing", f"{folder}/link")
    need("no socket has this name" in refused(program, folder, "link"), "a link")
    need("needs a name" in refused(program, folder, ""), "no path")
    if os.geteuid() != 0:  # whom no folder is protected from
        os.mkdir(f"{folder}/closed", 0o500)
        need("write-protected" in refused(program, folder, "closed/desk.sock"), "a closed folder")


def check_one_program_at_a_path(program, _, folder):
    with Program(program, folder) as session:
        client = session.client()
        need("listens there already" in refused(program, folder, session.path), "a living one")
        need(client.ask("")["done"], "the first one was disturbed")
        session.process.kill()
        session.process.wait()
        need(stat.S_ISSOCK(os.lstat(session.path).st_mode), "a killed one has cleaned up")
    with Program(program, folder) as session:
        need(session.client().done("quit")["done"], "a dead one was not replaced")
        session.wait_end()
    # What somebody has put in the place of the socket is not this program's to remove.
    with Program(program, folder) as session:
        client = session.client()
        os.remove(session.path)
        with open(session.path, "w") as file:
            file.write("mine")
        client.done("quit")
        session.process.wait(PATIENCE)
        need(open(session.path).read() == "mine", "a file of the user was removed")


def check_mode(program, _, folder):
    former = os.umask(0)
    try:
        with Program(program, folder) as session:
            session.client()
            mode = stat.S_IMODE(os.lstat(session.path).st_mode)
            need(mode == 0o600, f"the socket has the mode {mode:o}")
    finally:
        os.umask(former)


AS_NOBODY = """
import os, socket, sys
os.setgid(65534)
os.setuid(65534)
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
print(link.makefile().read())
"""


def check_other_user(program, _, folder):
    if os.geteuid() != 0:
        print("another user cannot be played here")
        return
    with Program(program, folder) as session:
        session.client().close()
        # As if the mode of the file had not kept them out.
        os.chmod(session.path, 0o666)
        for parent in (folder, os.path.dirname(folder)):
            os.chmod(parent, 0o755)
        other = subprocess.run([sys.executable, "-c", AS_NOBODY, session.path], text=True,
                               capture_output=True, timeout=PATIENCE)
        need("only the user who runs" in other.stdout, other.stdout + other.stderr)
        need(other.stdout.strip().count("\n") == 0, other.stdout)


def check_one_at_a_time(program, snapshot, folder):
    with Program(program, folder, [snapshot]) as session:
        first = session.client()
        second = session.client(greeted=False)
        need("another program drives" in second.greeting["fault"], str(second.greeting))
        need(second.at_end(), "the second one was not sent away")
        need(first.done("tell camera")["command"] == 1, "the first one was disturbed")
        first.close()
        third = session.free_client()
        need(third.done("tell camera")["command"] == 1, "the third one's numbers")
        # Who says that nothing more comes still reads all answers.
        third.send("orbit 5 5\ntell camera\n")
        third.socket.shutdown(socket.SHUT_WR)
        need([json.loads(line)["command"] for line in third.answers] == [2, 3], "its last answers")
        need(session.free_client().done("tell camera"), "nobody comes after it")
