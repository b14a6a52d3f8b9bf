# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Kiln raises. Wrong argument types and values are Python's own TypeError and ValueError."""

from __future__ import annotations

import json
from typing import Any, NoReturn


class KilnError(Exception):
    """Base of every error that is Kiln's own."""


class CompilationError(KilnError):
    """A kernel does not compile.

    `diagnostics` is the report's list (docs/design/compile-interface.md): dictionaries with
    `severity`, `message`, `file`, `line`, `column`, `text` and `notes`. The text of the exception
    is every diagnostic as rendered, with the quoted line and a caret.
    """

    def __init__(self, diagnostics: list[dict[str, Any]] | str) -> None:
        if isinstance(diagnostics, str):
            diagnostics = [{"severity": "error", "message": diagnostics, "text": diagnostics}]
        self.diagnostics = diagnostics
        super().__init__(self._render())

    def _render(self) -> str:
        # A text that is rendered has its notes in it.
        texts = [d.get("text") or d.get("message", "") for d in self.diagnostics]
        return "\n".join(str(text).rstrip("\n") for text in texts)


class CompileTimeAssertionFailure(CompilationError):
    """A `tl.static_assert` did not hold."""


class UnsupportedLanguageConstruct(CompilationError):
    """A Python construct that kernels cannot use."""


class DeviceAssertionError(KilnError):
    """A `tl.device_assert` failed while the kernel ran."""


class DeviceCheckError(KilnError):
    """A simulated device found fault with what a kernel did: a race, a deadlock, an access out of
    bounds, an undefined value. Results of the launch are not to be trusted."""


class OutOfResources(KilnError):
    """A launch needs more of a resource than the device has."""

    def __init__(self, required: int, limit: int, name: str) -> None:
        super().__init__(f"out of resource: {name}, required {required}, limit {limit}")
        self.required, self.limit, self.name = required, limit, name


class InterpreterError(KilnError):
    """Never raised: Kiln has no interpreter mode. Here because published files catch it."""


class NotThereYetError(KilnError, NotImplementedError):
    """A public name of the API that this version of Kiln does not have yet."""


def not_there_yet(name: str) -> NoReturn:
    """Raises for `name`, the public name as the user wrote it."""
    raise NotThereYetError(f"{name} is not there yet in this version of Kiln")


def from_report(text: str) -> CompilationError:
    """The error that a report of a failed compilation stands for."""
    diagnostics = [d for d in json.loads(text)["diagnostics"] if d["severity"] == "error"]
    first = diagnostics[0]["message"] if diagnostics else ""
    if first.startswith("static assertion failed"):
        return CompileTimeAssertionFailure(diagnostics)
    return CompilationError(diagnostics or "the compiler rejected the kernel without a reason")
