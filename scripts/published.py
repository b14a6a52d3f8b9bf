#!/usr/bin/env python3
"""Runs a folder of published kernel files through `kiln run` and says of each what became of it.

    scripts/published.py PATH [--device D] [--timeout S] [--jobs N] [--memory GIB] [--fresh]
                              [--json]

PATH is a Python file, or a folder that is searched for them; nothing is copied from it or written
to it by this script. Each file runs in a process group of its own, in its own folder, without
arguments, with an empty cache of kernels. Processes are forks of one that has imported PyTorch
(scripts/preloaded.py), unless `--fresh` is given. The exit status is 1 if one crashed (that is a
bug of Kiln whatever the file holds), 2 if there is nothing to run, else 0.
docs/design/published-files.md says how the words are chosen.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from published_outcome import ROOT, STATUS, Ended, Outcome, Reader

OUTPUT_BYTES = 1 << 30  # a file may write as much; its last part is read
TAIL_BYTES = 1 << 20


class Parent:
    """A process that has imported PyTorch. It forks for one request at a time."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment, start_new_session=True,
        )  # fmt: skip
        self.received = b""
        self.modules = set(self.answer("modules"))

    def ask(self, request: dict[str, Any]) -> Fork:
        stream = self.process.stdin
        assert stream is not None
        with contextlib.suppress(BrokenPipeError):  # the answer is missed
            stream.write(json.dumps(request).encode() + b"\n")
            stream.flush()
        return Fork(self, self.answer("pid"))

    def answer(self, word: str, timeout: float | None = None) -> Any:
        """What it says next; EOFError when it is no more, TimeoutError after `timeout` seconds."""
        stream = self.process.stdout
        assert stream is not None
        end = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self.received:
            left = None if end is None else max(0.0, end - time.monotonic())
            if not select.select([stream], [], [], left)[0]:
                raise TimeoutError
            part = os.read(stream.fileno(), 1 << 16)
            if not part:
                raise EOFError
            self.received += part
        line, _, self.received = self.received.partition(b"\n")
        answer = json.loads(line)
        if word not in answer:
            raise EOFError
        return answer[word]

    def end(self) -> None:
        if self.process.poll() is None:
            _kill_group(self.process.pid)
            self.process.wait()


class Fork:
    """A child of a Parent's, with the part of `subprocess.Popen` that Runner needs."""

    def __init__(self, parent: Parent, pid: int) -> None:
        self.parent, self.pid = parent, pid
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            try:
                self.returncode = self.parent.answer("code", timeout)
            except TimeoutError:
                raise subprocess.TimeoutExpired("kiln", timeout or 0) from None
        return self.returncode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


class Runner:
    """Runs files one by one under the limits of the command line."""

    def __init__(self, args: argparse.Namespace, root: Path) -> None:
        self.args, self.root = args, root
        self.running: set[int] = set()
        self.stopped = False
        self.parents: list[Parent] = []
        self.idle: queue.SimpleQueue[Parent] = queue.SimpleQueue()

    def __call__(self, path: Path) -> Outcome:
        ended = self._run(path)
        outcome = Outcome(str(path.relative_to(self.root)), seconds=round(ended.seconds, 1))
        Reader(ended, self.root, self.args.timeout).read(outcome)
        return outcome

    def _run(self, path: Path) -> Ended:
        parent = None if self.args.fresh else self._parent()
        if parent is not None and not _hides_modules(parent, path.parent):
            try:
                ended = self._run_once(path, parent)
                self.idle.put(parent)
                return ended
            except EOFError:  # the file has ended it: a process of its own says what the file does
                parent.end()
                if self.stopped:
                    raise
        elif parent is not None:
            self.idle.put(parent)
        return self._run_once(path, None)

    def _run_once(self, path: Path, parent: Parent | None) -> Ended:
        with tempfile.TemporaryDirectory(prefix="kiln-published-") as scratch:
            out, err, cache = (Path(scratch) / name for name in ("out", "err", "cache"))
            start = time.monotonic()
            # Files, not pipes: a process that left the group cannot keep them open before us.
            with out.open("wb") as stdout, err.open("wb") as stderr:
                if parent is None:
                    process: subprocess.Popen[bytes] | Fork = subprocess.Popen(
                        self._command(path), stdin=subprocess.DEVNULL, stdout=stdout,
                        stderr=stderr, cwd=path.parent, env=self._environment(cache),
                        start_new_session=True,
                    )  # fmt: skip
                else:
                    request = {
                        "arguments": self._arguments(path),
                        "folder": str(path.parent),
                        "environment": {"KILN_CACHE_DIR": str(cache)},
                        "limits": self._limits(),
                        "out": str(out),
                        "err": str(err),
                    }
                    process = parent.ask(request)
                timed_out = self._wait(process)
            seconds = time.monotonic() - start
            compiled = cache.is_dir() and any(file.is_file() for file in cache.rglob("*"))
            return Ended(process.wait(), timed_out, seconds, _tail(out), _tail(err), compiled)

    def _parent(self) -> Parent | None:
        """One that has nothing to do; none where that cannot be had."""
        with contextlib.suppress(queue.Empty):
            return self.idle.get_nowait()
        # -P: a file of the folder called like a module of Python is not Kiln's.
        command = [self.args.python, "-P", str(ROOT / "scripts" / "preloaded.py")]
        try:
            parent = Parent(command, self._environment(None))
        except (OSError, EOFError):
            return None
        self.parents.append(parent)
        return parent

    def _limits(self) -> dict[str, int]:
        memory = int(self.args.memory * (1 << 30))
        return {"RLIMIT_CORE": 0, "RLIMIT_DATA": memory, "RLIMIT_FSIZE": OUTPUT_BYTES}

    def _arguments(self, path: Path) -> list[str]:
        device = ["--device", self.args.device] if self.args.device else []
        return ["run", *device, path.name]

    def _command(self, path: Path) -> list[str]:
        # The shell sets the limits of what it becomes: memory, files (in 512-byte blocks), no core.
        kib = int(self.args.memory * (1 << 20))
        limits = f'ulimit -c 0 && ulimit -d {kib} && ulimit -f {OUTPUT_BYTES // 512} && exec "$@"'
        kiln = [self.args.python, "-P", "-m", "kiln", *self._arguments(path)]
        return ["/bin/sh", "-c", limits, "sh", *kiln]

    def _environment(self, cache: Path | None) -> dict[str, str]:
        path = os.pathsep.join(filter(None, (str(ROOT / "python"), os.environ.get("PYTHONPATH"))))
        return os.environ | {
            **({"KILN_CACHE_DIR": str(cache)} if cache else {}),
            "MPLBACKEND": "Agg",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONFAULTHANDLER": "1",  # a signal leaves the stack in the output
            "PYTHONPATH": path,
        }

    def _wait(self, process: subprocess.Popen[bytes] | Fork) -> bool:
        self.running.add(process.pid)
        timed_out = False
        try:
            process.wait(self.args.timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGABRT)  # says where it is
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2)
        finally:
            self.running.discard(process.pid)
            _kill_group(process.pid)  # also what a file that ended left behind
            process.wait()
        return timed_out

    def stop(self) -> None:
        """Ends what runs, and the processes that fork."""
        self.stopped = True
        for group in tuple(self.running):
            _kill_group(group)
        for parent in self.parents:
            parent.end()


def _hides_modules(parent: Parent, folder: Path) -> bool:
    """Whether the folder has a module that the parent has already, from elsewhere."""
    try:
        return any(file.stem in parent.modules for file in folder.iterdir())
    except OSError:
        return True


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL_BYTES))
        return file.read().decode(errors="replace")


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = (file for file in path.rglob("*.py") if file.name != "__init__.py")
    hidden = (file for file in found if not any(p[0] == "." for p in file.relative_to(path).parts))
    return sorted(hidden)


def _python() -> str:
    """The environment with PyTorch, as scripts/common.sh places it, if it is there."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(os.environ.get("KILN_DEV_CACHE") or Path(base) / "kiln-dev")
    places = (cache / "torch-venv" / "bin" / "python", ROOT / ".venv" / "bin" / "python")
    return next((str(place) for place in places if place.exists()), sys.executable)


def _outcomes(runner: Runner, files: list[Path], jobs: int) -> Iterator[Outcome]:
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(runner, file) for file in files]
        try:
            for future in futures:
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            runner.stop()


def _summary(outcomes: list[Outcome]) -> str:
    counts = collections.Counter(outcome.status for outcome in outcomes)
    lines = [f"{counts[status]:>5}  {status}: {STATUS[status]}" for status in STATUS]
    missing = collections.Counter(
        outcome.missing or outcome.reason for outcome in outcomes if outcome.status == "refused"
    )
    if missing:
        lines += ["", "refused most often for:"]
        lines += [f"{count:>5}  {name}" for name, count in missing.most_common(20)]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("path", metavar="PATH", type=Path, help="a Python file or a folder of them")
    parser.add_argument("--device", metavar="D", help="device of the kernels")
    parser.add_argument("--timeout", metavar="S", type=float, default=120, help="seconds each")
    parser.add_argument("--memory", metavar="GIB", type=float, default=8, help="GiB for a file")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="files at a time")
    parser.add_argument("--fresh", action="store_true", help="start Python anew for each file")
    parser.add_argument("--python", metavar="P", default=_python(), help="its interpreter")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    args = parser.parse_args()
    if min(args.timeout, args.memory, args.jobs) <= 0:
        parser.error("--timeout, --memory and --jobs: expected positive numbers")
    path = args.path.resolve()
    files = _files(path) if path.exists() else []
    if not files:
        parser.error(f"found no Python file at {args.path}")
    outcomes = []
    runner = Runner(args, path if path.is_dir() else path.parent)
    try:
        for outcome in _outcomes(runner, files, args.jobs):
            outcomes.append(outcome)
            if not args.json:
                print(outcome.line(), flush=True)
    except KeyboardInterrupt:
        return 130
    counts = dict(collections.Counter(outcome.status for outcome in outcomes))
    if args.json:
        print(json.dumps({"counts": counts, "files": [asdict(o) for o in outcomes]}, indent=1))
    else:
        print("\n" + _summary(outcomes))
    return 1 if counts.get("crashed") else 0


if __name__ == "__main__":
    sys.exit(main())
