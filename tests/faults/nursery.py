"""Starts commands of reident in processes of their own, quickly: a server that forks.

What all of them import is imported once. The server itself touches no data, so that no pool of
threads is lost in a fork. A line of JSON asks for a process; its number comes back at once, and its
exit code when it has ended.
"""

import contextlib
import json
import locale
import logging
import os
import signal
import subprocess
import sys
import time
from functools import partial
from importlib import import_module
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]


class Nursery:
    """The server as those who ask see it.

    `environment` is that of all its processes; `within` is a command that starts others, to put it
    somewhere else.
    """

    def __init__(self, environment=None, within=()):
        self._folder = None
        self._server = subprocess.Popen(
            [*within, sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | (environment or {}),
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.stdin.close()
        self._server.wait(timeout=60)
        self._server.stdout.close()

    def start(self, argv, folder, **knobs):
        """Begin a command in a folder; returns the number of its process."""
        self._folder = Path(folder)
        asked = {"argv": [str(part) for part in argv], "folder": str(folder), "knobs": knobs}
        self._server.stdin.write(json.dumps(asked) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def wait(self):
        """The exit code of the process that was begun last; of signals, less than zero."""
        return os.waitstatus_to_exitcode(int(self._server.stdout.readline()))

    def run(self, argv, folder, **knobs):
        """Begin a command and wait for its end."""
        self.start(argv, folder, **knobs)
        return self.wait()

    def seen(self, path):
        """A path of the server's, as seen from here: it may have mounted something."""
        return Path(f"/proc/{self._server.pid}/root") / path.relative_to("/")

    @property
    def talk(self):
        """What the command that was begun last has said."""
        return (self.seen(self._folder) / "talk.txt").read_text()


def deaf(*_args, **_kwargs):
    """Read for a minute, and listen to no signal; a file says when that begins."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(BaseException):
            Path("deaf").touch()
            time.sleep(1)
    os._exit(99)


def after_a_change(path, then):
    """Do something when a file has got a byte more."""

    def changed(*args, **kwargs):
        path.write_bytes(path.read_bytes() + b" ")
        return then(*args, **kwargs)

    return changed


def turn(knobs):
    """Small tiles, a checkpoint for every strip, ways that only large files take; surroundings."""
    from reident import api, run
    from reident.attacks import index, unicity
    from reident.cli import signals
    from reident.io import kept, outputs

    if "umask" in knobs:
        os.umask(knobs["umask"])
    if "locale" in knobs:
        locale.setlocale(locale.LC_ALL, "")
    if "remove" in knobs:
        Path(knobs["remove"]).unlink()
    if "rewrite" in knobs:
        outputs.write_draft = after_a_change(Path(knobs["rewrite"]), outputs.write_draft)
    if "debug" in knobs:
        os.environ["POLARS_VERBOSE"] = "1"
        logging.basicConfig(level=logging.DEBUG)
        logging.getLogger("numba").setLevel(logging.INFO)  # it tells every step of compiling
        logging.getLogger(__name__).debug("everything is told")
    if "stuck" in knobs:
        api.take_in = deaf
        signals.GRACE = knobs["stuck"]
    if "every" in knobs:
        kept.Checkpoints = partial(kept.Checkpoints, every=knobs["every"])
    if "budget" in knobs:
        run.run.__kwdefaults__["budget"] = knobs["budget"]
    for home in (index, unicity):
        home.WORTHWHILE = knobs.get("worthwhile", home.WORTHWHILE)


def child(asked):
    """Become the command, with its talk in a file."""
    from reident.cli import entry

    os.chdir(asked["folder"])
    talk = os.open("talk.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(talk, 1)
    os.dup2(talk, 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    turn(asked["knobs"])
    sys.argv = ["reident", *asked["argv"]]
    entry()


def serve():
    """Fork for every line; the fork goes on as the command and never comes back here."""
    import numba

    for name in ("api", "haystack", "cli.run", "cli.study", "cli.uniques", "cli.signals"):
        import_module(f"reident.{name}")
    for name in ("charts", "document", "html", "tables", "uniques", "uniques_page"):
        import_module(f"reident.report.{name}")
    numba.njit(lambda x: x + 1)(1)  # what a compiler loads, it loads once
    for line in sys.stdin:
        number = os.fork()
        if not number:
            return child(json.loads(line))
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        _, status = os.waitpid(number, 0)
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()
    return None


if __name__ == "__main__":
    serve()
