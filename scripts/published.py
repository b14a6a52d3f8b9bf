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
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

# Every word that is said of a file, and what it means.
STATUS = {
    "works": "ran to its end and launched what it compiled",
    "no kernel": "ran to its end without compiling a kernel",
    "refused": "Kiln says that it does not take it, and why",
    "wrong": "its own assertion or comparison failed, or the checker objects",
    "error": "stopped for another reason, most often its host code",
    "needs": "a Python module, or arguments, that are not there",
    "over budget": "did not end within the limit of time or memory",
    "crashed": "ended by a signal or by an internal error of Kiln",
}

# Modules that Kiln stands for: one of theirs that is absent is Kiln's to add.
OURS = ("triton", "tilelang", "torch_npu", "kiln")
# What Kiln's own Python raises on purpose; any other exception from there is an internal error.
INTERNAL = ("AttributeError", "IndexError", "KeyError", "NameError", "RecursionError")
OUTPUT_BYTES = 1 << 30  # a file may write as much; its last part is read
TAIL_BYTES = 1 << 20

_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+)', re.M)
_EXCEPTION = re.compile(
    r"^(?:E {3,})?([A-Za-z_][\w.]*(?:Error|Exception|Failure|Exit|Resources))(?:: ?(.*))?$", re.M
)
_DIAGNOSTIC = re.compile(r"(\S+?):(\d+):\d+: error: (.*)")
_MISSING = re.compile(r"['\"`]?([\w.]+)['\"`]? (?:is|are) not there yet")
# Not the source line of a traceback that raises it.
_PENDING = re.compile(r"^(?! +raise\b).*\bnot there yet\b.*$", re.M)
_NO_MEMORY = re.compile(
    "MemoryError|std::bad_alloc|DefaultCPUAllocator: can't allocate|Cannot allocate memory"
)
_FAULT = re.compile(r"^Fatal Python error: (.*)$", re.M)
_NO_MODULE = re.compile(r"No module named '([\w.]+)'")
_ARGUMENTS = re.compile(r"error: (the following arguments are required: .*)")


@dataclass
class Outcome:
    """What became of a file. `place` is FILE:LINE as the file's author would look for it."""

    path: str
    status: str = ""
    reason: str = ""
    place: str = ""
    missing: str = ""
    seconds: float = 0.0

    def line(self) -> str:
        text = f"{self.status:<12}{self.path}  {self.seconds:.1f} s"
        details = ", ".join(part for part in (self.reason, self.place) if part)
        return f"{text}  {details}" if details else text


@dataclass
class Ended:
    """A process that is no more: `code` as `subprocess` gives it."""

    code: int
    timed_out: bool
    seconds: float
    output: str
    errors: str
    compiled: bool


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


class Reader:
    """Finds the word for a process that ended: the rules in their order."""

    def __init__(self, ended: Ended, root: Path, timeout: float) -> None:
        self.ended, self.root, self.timeout = ended, root, timeout
        self.text = ended.errors + "\n" + ended.output

    def read(self, outcome: Outcome) -> None:
        rules = (
            self._time, self._memory, self._signal, self._pending, self._exception,
            self._printed, self._exit,
        )  # fmt: skip
        for rule in rules:
            found = rule(outcome)
            if found is not None:
                outcome.status, outcome.reason = found
                return

    def _time(self, outcome: Outcome) -> tuple[str, str] | None:
        if not self.ended.timed_out:
            return None
        outcome.place = self._place(last=False)  # faulthandler names the innermost frame first
        return "over budget", f"{self.timeout:g} s of time"

    def _memory(self, outcome: Outcome) -> tuple[str, str] | None:
        # A kill that is not ours is the system's, which does so when its memory ends.
        killed = self.ended.code == -signal.SIGKILL
        failed = self.ended.code != 0 and _NO_MEMORY.search(self.text)
        return ("over budget", "memory") if killed or failed else None

    def _signal(self, outcome: Outcome) -> tuple[str, str] | None:
        fault = _FAULT.search(self.ended.errors)  # also of a process that the file started
        if self.ended.code >= 0 and fault is None:
            return None
        outcome.place = self._place(last=False)
        if self.ended.code < 0:
            return "crashed", signal.Signals(-self.ended.code).name
        return "crashed", fault[1] if fault else ""

    def _pending(self, outcome: Outcome) -> tuple[str, str] | None:
        line = _PENDING.search(self.text)
        if line is None:
            return None
        name = _MISSING.search(line[0])
        outcome.missing = name[1] if name else ""
        return "refused", self._diagnosed(outcome, line[0])

    def _exception(self, outcome: Outcome) -> tuple[str, str] | None:
        found = list(_EXCEPTION.finditer(self.text))
        if not found:
            return None
        # In a program that caught it and went on, the first is as good as any.
        kind, message = found[-1][1], (found[-1][2] or "").strip()
        outcome.place = self._place(last=True)
        name, text = kind.rpartition(".")[2], f"{kind}: {message}" if message else kind
        if "Mismatched elements" in self.text or name in ("AssertionError", "DeviceCheckError"):
            return "wrong", text
        if self.ended.code == 0:
            return None
        absent = _NO_MODULE.search(message)
        if absent and absent[1].partition(".")[0] not in OURS:
            return "needs", absent[1]
        if kind.startswith("kiln."):
            return "refused", self._diagnosed(outcome, message)
        public = re.search(rf"\b({'|'.join(OURS)})\b", message)
        if public and name in ("AttributeError", "ImportError", "ModuleNotFoundError"):
            outcome.missing = _absent_name(message)
            return "refused", text
        frames = _FRAME.findall(self.text[: found[-1].start()])
        inside = bool(frames) and Path(frames[-1][0]).is_relative_to(ROOT / "python" / "kiln")
        if inside and name in INTERNAL:
            outcome.place = f"{Path(frames[-1][0]).relative_to(ROOT)}:{frames[-1][1]}"
            return "crashed", text
        return ("refused" if inside else "error"), text

    def _printed(self, outcome: Outcome) -> tuple[str, str] | None:
        """A diagnostic that the file caught and printed."""
        located = _DIAGNOSTIC.search(self.text)
        return ("refused", self._diagnosed(outcome, located[0])) if located else None

    def _exit(self, outcome: Outcome) -> tuple[str, str] | None:
        if self.ended.code == 0:
            return ("works" if self.ended.compiled else "no kernel"), ""
        arguments = _ARGUMENTS.search(self.ended.errors)
        if arguments:
            return "needs", arguments[1]
        last = self.text.strip().rpartition("\n")[2]
        return "error", f"exit status {self.ended.code}: {last}"

    def _diagnosed(self, outcome: Outcome, text: str) -> str:
        """The text of an error without its place, which goes to the outcome."""
        located = _DIAGNOSTIC.search(text)
        if located is None:
            outcome.place = self._place(last=True)
            return re.sub(r"^(E +)?kiln[\w.]*: ", "", text.strip())
        outcome.place = f"{self._relative(Path(located[1]))}:{located[2]}"
        return located[3]

    def _place(self, last: bool) -> str:
        """The innermost line of a stack that belongs to the files that are run."""
        frames = [(Path(file), line) for file, line in _FRAME.findall(self.ended.errors)]
        own = [frame for frame in frames if frame[0].is_relative_to(self.root)]
        if not own:
            return ""
        file, line = own[-1 if last else 0]
        return f"{self._relative(file)}:{line}"

    def _relative(self, file: Path) -> Path:
        return file.relative_to(self.root) if file.is_relative_to(self.root) else file


def _absent_name(message: str) -> str:
    """`tilelang.foo` from what Python says of a name that a module does not have."""
    attribute = re.search(r"module '([\w.]+)' has no attribute '(\w+)'", message)
    imported = re.search(r"cannot import name '(\w+)' from '([\w.]+)'", message)
    module = _NO_MODULE.search(message)
    if attribute:
        return f"{attribute[1]}.{attribute[2]}"
    if imported:
        return f"{imported[2]}.{imported[1]}"
    return module[1] if module else ""


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
