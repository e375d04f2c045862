"""A real standalone cluster on loopback: a master and two workers of one core each.

The processes end with whoever started them, however that ends.
"""

import contextlib
import json
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
PATIENCE = 300.0


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
        "spark.executor.memory": "480m",
        "spark.executor.cores": "1",
        "spark.cores.max": "2",
    } | more


class Cluster:
    """One master and two workers; `folder` takes their logs and work.

    Each worker takes part in so many sessions at a time, with one core.
    """

    def __init__(self, folder, sessions=1):
        import pyspark

        self.folder = Path(folder)
        self._home = Path(pyspark.__file__).parent
        self._port = free_port()
        self.master = f"spark://{LOOPBACK}:{self._port}"
        self._processes = [self._begin("master.Master", "--port", str(self._port))]
        self._await("master.Master", "I have been elected leader")
        self._sessions, self._workers = sessions, []
        self.add_worker()
        self.add_worker()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait(timeout=30)

    def add_worker(self):
        """Start a worker."""
        name = f"worker{len(self._workers)}"
        process = self._begin(
            "worker.Worker",
            *("--cores", str(self._sessions), "--memory", "3g"),
            *("--work-dir", str(self.folder / name)),
            self.master,
            log=name,
        )
        self._workers.append(process)
        self._processes.append(process)
        self._await(name, "Successfully registered with master")

    def kill_worker(self):
        """Kill a worker that is at work, and all that it has started, at once."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for worker in self._workers:
                family = [*descendants(worker.pid), worker.pid]
                if any((self.folder / f"{pid}.busy").exists() for pid in family):
                    for pid in family:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL)
                    return
        raise TimeoutError

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
                env=environment() | obeying(self.folder / "knobs.json"),
                stdout=talk,
                stderr=talk,
            )

    def turn(self, **knobs):
        """Turn knobs of all workers; see worker/sitecustomize.py."""
        new = self.folder / "knobs.new"
        new.write_text(json.dumps(knobs))
        new.replace(self.folder / "knobs.json")

    def _await(self, name, sign):
        end = time.monotonic() + PATIENCE
        while sign not in self.said(name):
            assert time.monotonic() < end, self.said(name)[-2000:]
            time.sleep(0.1)


@contextlib.contextmanager
def session_on(master, folder, **more):
    """A session on a cluster; what it puts down is in a folder of its own."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master)
    for name, value in settings(**{"spark.local.dir": f"{folder}/local"} | more).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


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


def obeying(knobs):
    """What the environment of workers has besides: where they find knobs to obey."""
    own = Path(__file__).with_name("worker")
    return {
        "PYTHONPATH": f"{own}:{environment()['PYTHONPATH']}",
        "REIDENT_TEST_KNOBS": str(knobs),
    }


def descendants(pid):
    """The processes that a process has started, and those that they have."""
    with contextlib.suppress(FileNotFoundError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from descendants(int(child))
                yield int(child)
