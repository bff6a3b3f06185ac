"""`lru_cache` for the driver: starts a server of pages, has it asked by the load generator of examples/cache, and takes the figures of both."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path


def chosen(name, otherwise):
    return float(os.environ.get(name, otherwise))


CAPACITY = int(chosen("CAPACITY", 640_000))
TITLES = CAPACITY * 25 // 16
PAGE_BYTES, SEED = 1536, 1
RATE, DURATION, WARM, PAUSE = chosen("RATE", 2000), chosen("DURATION", 10), chosen("WARM", 10), chosen("PAUSE", 5)

SIZES = [str(size) for size in (CAPACITY, TITLES, PAGE_BYTES, SEED)]
PAGES = [f"--titles={TITLES}", f"--page-bytes={PAGE_BYTES}", f"--seed={SEED}"]
LOAD = ["load", "--pages-only", "--json", f"--rate={RATE}", f"--seconds={DURATION}", f"--warm={WARM}", "--rounds=1", "--pause=0", *PAGES]

# How often a peer has everything collected while it is measured. Ours grows by so little that it is marked about as often.
FORCED = int(chosen("FORCED", 4))
GROWTH = chosen("GROWTH", 1.014)

# Those of our pauses with which everything has been marked.
MARKED = ["mark_end", "major"]

OURS = {"vivant": "graph", "plain": "plain"}


def servers(platforms):
    """Who has a cache that is served, and the words for each program, in which the port is missing."""
    serve = ["serve", "--port={port}", f"--capacity={CAPACITY}", f"--growth={GROWTH}", *PAGES]
    ours = {name: [*serve, f"--store={store}"] for name, store in OURS.items()}
    erlang = {name: ["lru_cache", kind, "{port}", *SIZES] for name, kind in [("erlang", "map"), ("erlang-ets", "ets")]}
    return {**ours, **dict.fromkeys(platforms, ["lru_cache", "{port}", *SIZES]), **erlang}


def run(command, cache, name):
    """What one run took: seconds, what came of it, and figures for the columns. Fails if a page did not come or was a wrong one."""
    port = free_port()
    with started([str(word).replace("{port}", str(port)) for word in command], name) as process:
        full = -marks(port) if name == "vivant" else 0
        time.sleep(PAUSE)
        before = processors(process.pid)
        asking = subprocess.Popen([cache, *LOAD, f"--server=127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True)
        forced = 0 if name in OURS else force(port, asking)
        said = asking.communicate()[0]
        if asking.returncode != 0:
            raise subprocess.CalledProcessError(asking.returncode, asking.args)
        row = json.loads(said.splitlines()[-1])["runs"][0]
        figures = {"cpu_s": processors(process.pid) - before, "peak_mib": peak_mib(process.pid)}
        figures["full"] = forced
        if name == "vivant":
            figures["full"] = full + marks(port)
        stop(process, name)
        figures |= {word: float(value) for word, _, value in (line.strip().partition("=") for line in process.stdout) if word == "full"}
    met = row["latencies"]["due to answered"]
    names = {"p50_ns": "p50_us", "p99_ns": "p99_us", "p99_9_ns": "p999_us", "p99_99_ns": "p9999_us", "max_ns": "max_us"}
    figures |= {ours: met[theirs] / 1e3 for theirs, ours in names.items()}
    return row["took_seconds"], "all pages", figures


def force(port, asking):
    """Has everything collected, so many times, at equal distances while requests are measured. How often that had ended before the last one was answered."""
    began = time.monotonic()
    for number in range(FORCED):
        due = began + WARM + DURATION * (number + 1) / (FORCED + 1)
        time.sleep(max(0, due - time.monotonic()))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_collect") as answer:
            answer.read()
        if asking.poll() is not None:
            return number
    return FORCED


@contextlib.contextmanager
def started(command, name):
    """A server that is filled and listens. However this ends, it has ended then."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        # Ours says where it listens.
        if not any(line.startswith("ready") or "http://" in line for line in iter(process.stdout.readline, "")):
            raise subprocess.CalledProcessError(process.wait(), command)
        yield process
    finally:
        process.kill()
        process.wait()


def stop(process, name):
    """Has it end by itself: ours as by Ctrl-C."""
    process.send_signal(signal.SIGINT if name in OURS else signal.SIGTERM)
    if process.wait(timeout=60) != 0:
        raise subprocess.CalledProcessError(process.returncode, process.args)


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def processors(pid):
    """The processors' seconds that a process has had: the 14th and the 15th word, after a name in brackets."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def peak_mib(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024


def marks(port):
    """How often our heap was marked as a whole."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stats") as answer:
        pauses = json.load(answer)["heap"]["pauses"]
    return sum(pauses[kind]["count"] for kind in MARKED)
