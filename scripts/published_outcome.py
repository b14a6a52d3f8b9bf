"""What became of a published file: a word, from how its process ended and what it wrote."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from pathlib import Path

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

_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+)', re.M)
_EXCEPTION = re.compile(
    r"^(?:E {3,})?([A-Za-z_][\w.]*(?:Error|Exception|Failure|Exit|Resources))(?:: ?(.*))?$", re.M
)
_OBJECTION = re.compile(
    r"(kernel '\w+': failed on the simulated NPU)(?:\n.*?note: (\S+?):(\d+):\d+: (.*))?"
)
_DIAGNOSTIC = re.compile(r"(\S+?):(\d+):\d+: error: (.*)")
_MISSING = re.compile(r"['\"`]?([\w.]+)['\"`]? (?:is|are) not there yet")
_UNKNOWN = re.compile(r"unknown language name '([\w.]+)'")
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
        """What the file caught and printed: an objection of the checker, a diagnostic."""
        objection = _OBJECTION.search(self.text)
        if objection:
            if objection[2]:
                outcome.place = f"{self._relative(Path(objection[2]))}:{objection[3]}"
            return "wrong", objection[4] or objection[1]
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
        unknown = _UNKNOWN.search(located[3])
        outcome.missing = outcome.missing or (unknown[1] if unknown else "")
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
    name = ""
    if attribute:
        name = f"{attribute[1]}.{attribute[2]}"
    elif imported:
        name = f"{imported[2]}.{imported[1]}"
    elif module:
        name = module[1]
    return name.removeprefix("kiln.")  # as the file calls it
