"""A real standalone cluster on loopback: a master and two workers of one core each.

The processes end with whoever started them, however that ends.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import reident

LOOPBACK = "127.0.0.1"
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss512k"
"""A virtual machine that starts soon and needs little: these tests compute nothing in it."""
PATIENCE = 120.0


def why_not():
    """Why there can be no cluster here; empty where there can."""
    if not shutil.which("java"):
        return "no Java here"
    try:
        import pyspark
    except ImportError:
        return "no pyspark here"
    return "" if pyspark.__version__ >= "4" else "pyspark is too old"


def free_port():
    with socket.socket() as one:
        one.bind((LOOPBACK, 0))
        return one.getsockname()[1]


def settings(**more):
    """How a session of these tests is set up."""
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.extraJavaOptions": QUICK,
        "spark.executor.extraJavaOptions": QUICK,
        "spark.executor.memory": "512m",
    } | more


class Cluster:
    """One master and some workers; `folder` takes their logs and work."""

    def __init__(self, folder, workers=2):
        import pyspark

        self.folder = Path(folder)
        self._home = Path(pyspark.__file__).parent
        self._port = free_port()
        self.master = f"spark://{LOOPBACK}:{self._port}"
        self._processes = [self._begin("master.Master", "--port", str(self._port))]
        self._await("master.Master", "I have been elected leader")
        self._workers = {}
        for _ in range(workers):
            self.add_worker()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait(timeout=30)

    def add_worker(self):
        """Start a worker; returns its number, by which it can be killed."""
        number = len(self._workers)
        name = f"worker{number}"
        process = self._begin(
            "worker.Worker",
            *("--cores", "1", "--memory", "1g", "--work-dir", str(self.folder / name)),
            self.master,
            log=name,
        )
        self._workers[number] = process
        self._processes.append(process)
        self._await(name, "Successfully registered with master")
        return number

    def kill_worker(self, number):
        """Kill a worker and what it has started, at once."""
        worker = self._workers[number].pid
        for pid in [*descendants(worker), worker]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def said(self, name):
        """What a process has written."""
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def _begin(self, kind, *flags, log=None):
        path = self.folder / f"{log or kind}.log"
        with path.open("w") as talk:
            return subprocess.Popen(
                [
                    *("setpriv", "--pdeathsig", "KILL"),
                    self._home / "bin" / "spark-class",
                    f"org.apache.spark.deploy.{kind}",
                    *("--host", LOOPBACK, "--webui-port", "0"),
                    *flags,
                ],
                env=environment(),
                stdout=talk,
                stderr=talk,
            )

    def _await(self, name, sign):
        end = time.monotonic() + PATIENCE
        while sign not in self.said(name):
            assert time.monotonic() < end, self.said(name)[-2000:]
            time.sleep(0.1)


def environment():
    """Of the processes of the cluster, and of a command that uses it."""
    return os.environ | {
        "SPARK_LOCAL_IP": LOOPBACK,
        "SPARK_NO_DAEMONIZE": "1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(Path(reident.__file__).parents[1]),
    }


def descendants(pid):
    """The processes that a process has started, and those that they have."""
    with contextlib.suppress(FileNotFoundError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from descendants(int(child))
                yield int(child)
