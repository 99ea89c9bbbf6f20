"""Kills commands at random moments (SIGKILL) and checks what they leave.

    python scripts/kill_trials.py --moments 20 --seed 1 train sweep

After every kill, each file of the output folder must be whole: JSON and safetensors that can be read, an
annotated file or a page that is the old one or the new one. The command is then started again, and killed
again, until it ends by itself; a command without `--resume` starts anew each time. Commands are forked from a
process that has imported everything, so that the moments fall into their work. At the end the folder must
hold what an uninterrupted run leaves, byte for byte but for seconds, and no temporary file and no lock.
`serve` is killed while clients ask: each gets the right answer or an error, no file is left, and the next
server listens at the same port.
Prints a row for each command; the exit code is 1 if anything was amiss.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import safe_open

from corelax.core.files import write_text
from corelax.io import write
from corelax.resolve import Resolver
from corelax.synthetic import Shape, generate

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.command_server import server

OLD = "what was there before\n"
TIMED = (".md", ".csv", ".html", ".svg", ".png")  # show seconds; must be there, and may differ
SIZES = ["hidden_mention=8", "hidden_pair=8", "features.lexical_cutoff=2", "epochs=2"]
ASKED = "Ann lost her key. Bo found it, and he gave it back to her."
SIZES += ["anaphoricity.epochs=1", "antecedent.epochs=1", "baseline.epochs=2"]


@dataclass(frozen=True, slots=True)
class Command:
    """A command, and where its output goes.

    Attributes:
        arguments: Of a run that writes to a folder.
        old: A file in the folder that is there before, and is replaced as a whole.
    """

    arguments: Callable[[Path], list[str]]
    old: str = ""


@dataclass(slots=True)
class Figures:
    """What was tried with a command, and what was amiss."""

    kills: int = 0
    runs: int = 0
    leftovers: int = 0
    failures: list[str] | None = None

    def fail(self, message: str) -> None:
        """Notes a failure."""
        self.failures = [*(self.failures or []), message]


def commands(data: Path) -> dict[str, Command]:
    """The commands, on documents in `data`."""
    files = ["--train", str(data / "train.conll"), "--dev", str(data / "dev.conll")]
    sizes = [part for setting in SIZES for part in ("--set", setting)]
    device = ["--device", "cpu"]
    study = ["--workers", "2", *device]
    return {
        "train": Command(
            lambda out: ["train", *files, *sizes, *device, "--out", str(out), "--resume"]
        ),
        "sweep": Command(
            lambda out: [
                "sweep", *files, *sizes, *study, "--grid", "beta_squared=1,2", "--out", str(out),
            ]
        ),
        "reproduce": Command(
            lambda out: [
                "reproduce", *files, *sizes, *study, "--no-tune", "--seeds", "1",
                "--examples", "0", "--out", str(out),
            ]
        ),
        "resolve": Command(
            lambda out: ["resolve", str(data / "text.txt"), "--html", str(out / "page.html")],
            old="page.html",
        ),
        "convert": Command(
            lambda out: ["convert", str(data / "large.conll"), str(out / "large.jsonl")],
            old="large.jsonl",
        ),
    }  # fmt: skip


def make_data(folder: Path) -> None:
    """Small documents to train on, a large file to convert, a text to resolve."""
    shape = Shape.conll2012().scaled(25)
    for name, number, seed in (("train", 8, 1), ("dev", 4, 2), ("large", 300, 3)):
        write(generate(number, seed=seed, shape=shape), folder / f"{name}.conll")
    write_text(folder / "text.txt", "Ann said that she left. Her brother saw her.\n" * 40)


def finish(command: Command, out: Path) -> str:
    """Runs a command to its end; what it said if it failed."""
    done = server().run(*command.arguments(out))
    return done.err if done.code else ""


def kill_after(command: Command, out: Path, seconds: float, rng: random.Random) -> bool:
    """Kills a command, half of the time without its workers; False if it had ended before."""
    running = server().start(*command.arguments(out))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if running.code is not None:
            return False
        time.sleep(0.01)
    if rng.random() < 0.5:
        running.send(signal.SIGKILL)
        time.sleep(1.5)  # workers see that their parent has gone
    else:
        running.send(signal.SIGKILL, group=True)
    return running.wait().code == -signal.SIGKILL


def is_temporary(path: Path) -> bool:
    """Whether a file is a lock or one that is not whole yet."""
    return path.name.startswith(".")


def broken_files(command: Command, out: Path, whole: dict[str, Any]) -> Iterator[str]:
    """The files that are not whole."""
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        if path.is_dir() or is_temporary(path):
            continue
        if name == command.old:
            if path.read_text() != OLD and content(path) != whole[name]:
                yield name
            continue
        try:
            content(path)
        except Exception as error:
            yield f"{name} ({error})"


def content(path: Path) -> Any:
    """What a file holds, without seconds; an error if it is not whole."""
    if path.suffix == ".json":
        return without_seconds(json.loads(path.read_bytes()))
    if path.suffix == ".jsonl":
        return [without_seconds(json.loads(line)) for line in path.read_bytes().splitlines()]
    if path.suffix == ".safetensors":
        with safe_open(path, framework="np") as weights:
            weights.keys()
    return path.read_bytes()


def without_seconds(value: Any) -> Any:
    """JSON without the time that something took."""
    if isinstance(value, dict):
        return {key: without_seconds(part) for key, part in value.items() if key != "seconds"}
    return [without_seconds(part) for part in value] if isinstance(value, list) else value


def state(out: Path) -> dict[str, Any]:
    """What a folder holds; of files that show seconds, that they are there."""
    return {
        name: None if path.suffix in TIMED and name != "page.html" else content(path)
        for path in sorted(out.rglob("*"))
        if path.is_file() and (name := str(path.relative_to(out))) not in ("sweep.json",)
        and not name.startswith("report/tables")
    }  # fmt: skip


def fresh_folder(command: Command, out: Path) -> None:
    """An empty folder, with the file that is to be replaced."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    if command.old:
        write_text(out / command.old, OLD)


def try_command(command: Command, out: Path, moments: int, rng: random.Random) -> Figures:
    """Kills a command at random moments."""
    figures = Figures()
    for _ in range(2):  # the second one has its features in the cache, as all later ones have
        fresh_folder(command, out)
        began = time.monotonic()
        if said := finish(command, out):
            raise SystemExit(f"the command fails without being killed: {said}")
    seconds, whole = time.monotonic() - began, state(out)
    while figures.kills < moments:
        fresh_folder(command, out)
        figures.runs += 1
        while figures.kills < moments and kill_after(command, out, rng.uniform(0, seconds), rng):
            figures.kills += 1
            figures.leftovers += sum(map(is_temporary, out.rglob("*")))
            print(f"kill {figures.kills}", end="\r", file=sys.stderr, flush=True)
            for name in broken_files(command, out, whole):
                figures.fail(f"kill {figures.kills}: {name} is not whole")
        if said := finish(command, out):
            figures.fail(f"after kill {figures.kills}: {said.splitlines()[-1]}")
        left = state(out)
        for name in sorted({*left, *whole}):
            if (name in left) != (name in whole) or left.get(name) != whole.get(name):
                figures.fail(
                    f"after kill {figures.kills}: {name} differs from an uninterrupted run"
                )
    return figures


def ask(port: int) -> Any:
    """The answer of a server; an OSError or HTTPException if there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        kind = {"Content-Type": "application/json"}
        connection.request("POST", "/resolve", json.dumps({"text": ASKED}), kind)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def free_port() -> int:
    """A port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def try_server(out: Path, moments: int, rng: random.Random) -> Figures:
    """Kills a server at random moments, from its start to some seconds of load by four clients."""
    figures, port = Figures(), free_port()
    expected = Resolver.from_pretrained(threads=1).resolve(ASKED).clusters
    answers: list[int] = []

    def ask_on(is_over: threading.Event) -> None:
        while not is_over.is_set():
            try:
                answer = ask(port)
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)
                continue
            entities = [[(m["start"], m["end"]) for m in e["mentions"]] for e in answer["entities"]]
            if entities == expected:
                answers.append(1)
            else:
                figures.fail(f"after kill {figures.kills}: another answer, {entities}")

    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    server()  # torch, which it imports, has a folder of its own among temporary files
    os.environ["TMPDIR"] = str(out)
    is_over = threading.Event()
    clients = [threading.Thread(target=ask_on, args=(is_over,)) for _ in range(4)]
    for client in clients:
        client.start()
    while figures.kills < moments:
        with contextlib.chdir(out):
            running = server().start("serve", "--port", str(port), "--threads", "1")
        figures.runs += 1
        before, moment = len(answers), rng.uniform(0, 6)
        time.sleep(moment)
        if running.code is not None:
            figures.fail(f"start {figures.runs}: {running.wait().err}")
            break
        running.send(signal.SIGKILL)
        running.wait()
        figures.kills += 1
        figures.leftovers += len(list(out.rglob("*")))
        print(f"kill {figures.kills}: {len(answers) - before} answers", end="\r", file=sys.stderr)
    is_over.set()
    for client in clients:
        client.join()
    if figures.leftovers:
        figures.fail(f"files are left: {sorted(out.rglob('*'))}")
    print(f"\nserve: {len(answers)} right answers between the kills", file=sys.stderr, flush=True)
    return figures


def main() -> None:
    """Tries the commands that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = "train, sweep, reproduce, resolve, convert, serve"
    parser.add_argument("commands", nargs="*", help=names)
    parser.add_argument("--moments", type=int, default=20, help="kills of each command")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    failed = False
    with tempfile.TemporaryDirectory() as name:
        os.environ["CORELAX_CACHE"] = str(Path(name, "cache"))
        data = Path(name, "data")
        data.mkdir()
        make_data(data)
        every = commands(data)
        print("| command | kills | runs that ended | temporary files after kills | failures |")
        print("|---|--:|--:|--:|--:|")
        for key in options.commands or [*every, "serve"]:
            out = Path(name, "out")
            if key == "serve":
                figures = try_server(out, options.moments, rng)
            else:
                figures = try_command(every[key], out, options.moments, rng)
            failures = figures.failures or []
            cells = (key, figures.kills, figures.runs, figures.leftovers, len(failures))
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
            for message in failures:
                print(f"  {key}: {message}", file=sys.stderr, flush=True)
            failed = failed or bool(failures)
    sys.exit(failed)


if __name__ == "__main__":
    main()
