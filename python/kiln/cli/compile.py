# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile a kernel of a Python file and print a stage."""

from __future__ import annotations

import argparse
import ast
import contextlib
import inspect
import json
import sys
from pathlib import Path
from typing import Any

import kiln
from kiln import _native, values
from kiln.jit import JITFunction
from kiln.kernel import CPU_STAGES, NPU_STAGES
from kiln.language import _names, dtype
from kiln.language import _types as lang
from kiln.tilelang._eager import EagerKernel
from kiln.tilelang._jit import LazyFunction
from kiln.tilelang._kernel import Kernel
from kiln.tilelang._prim_func import Macro, PrimFunc

from .script import Script

# What --emit prints on a simulated NPU: "npo" is the program image and "asm" its text.
IMAGE_STAGES = (*NPU_STAGES, "npo", "asm")


# What a file may define, and --kernel name.
_KERNELS = (JITFunction, LazyFunction, EagerKernel, Kernel)


class UsageError(Exception):
    """Wrong arguments of the command."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the Python file")
    parser.add_argument(
        "--kernel", metavar="NAME", help="the kernel; may be absent if there is one"
    )
    parser.add_argument(
        "--sig",
        default="",
        metavar="TYPES",
        help="types of the parameters that are not constexpr, such as '*f32:16,i32,i32:=1': "
        "':16' divisible by 16, ':=1' known to be 1, 'none' for None",
    )
    parser.add_argument(
        "--const", action="append", default=[], metavar="NAME=VALUE", help="a constexpr parameter"
    )
    parser.add_argument(
        "--args",
        default="",
        metavar="LIST",
        help="arguments of a @tilelang.jit function that returns the kernel, such as 'M=64,N=32'; "
        "the types of a TileLang kernel are declared and need no --sig",
    )
    parser.add_argument(
        "--device",
        default="cpu",
        metavar="NAME",
        help="the device to compile for; a path that ends in .json is a chip file of an NPU",
    )
    parser.add_argument(
        "--emit",
        choices=dict.fromkeys((*CPU_STAGES, *IMAGE_STAGES)),
        default="tile",
        help="the stage to print: tile, linalg, llvm, asm; of an NPU tile, npu, asm, or npo, the "
        "program image, which needs -o",
    )
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE",
                        help="a launch option, such as debug=True")  # fmt: skip
    parser.add_argument("--dump-dir", default="", metavar="D", help="write the IR after each pass")
    parser.add_argument(
        "--explain-access", action="store_true", help="say what was found about each access"
    )
    parser.add_argument("--alias", action="store_true", help="pointers may overlap")
    parser.add_argument("-o", dest="output", metavar="F", help="write the stage to a file")
    parser.add_argument("--cpu", metavar="NAME", help="LLVM's name of a CPU; default: this one")
    parser.add_argument("--features", metavar="LIST", help="its features, such as +avx2,-avx512f")


def execute(args: argparse.Namespace) -> int:
    try:
        names = _names_of(args.file, args.device)
        if names is None:
            return 1
        kernel = _choose(names, args.file, args.kernel, args.args)
        request = _request(kernel, args)
        text, image = _native.compile_object(json.dumps(request), kernel.capture)
    except UsageError as error:
        print(f"kiln compile: {error}", file=sys.stderr)
        return 2
    except kiln.KilnError as error:
        print(error, file=sys.stderr)
        return 1
    report = json.loads(text)
    for kind in ("diagnostics", "remarks"):
        for entry in report.get(kind, ()):
            # A text that is rendered has its notes in it.
            print((entry.get("text") or entry["message"]).rstrip("\n"), file=sys.stderr)
    if not report["ok"]:
        return 1
    if args.emit == "npo":
        Path(args.output).write_bytes(image)
        return 0
    text = _native.disassemble(image, args.file) if image else report["stages"][args.emit]
    if args.output:
        Path(args.output).write_text(text)
    else:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0


def _names_of(file: str, device: str) -> dict[str, Any] | None:
    """What a file defines. Its own launches run too, on the device; one that fails is no reason not
    to look at the kernels there are. None: there are none, and the error is printed."""
    if not Path(file).is_file():
        raise UsageError(f"{file} does not exist")
    try:
        kiln.set_device(device)
    except ValueError as error:
        raise UsageError(f"--device: {error}") from None
    script = Script(file)
    try:
        # What it prints is not the stage that is asked for.
        with contextlib.redirect_stdout(sys.stderr):
            return script.run("compile", [], "__kiln_compile__")
    except (Exception, SystemExit) as error:
        names = script.names(error)
        if not any(isinstance(value, _KERNELS) for value in names.values()):
            script.print(error)
            return None
        if not isinstance(error, SystemExit) or error.code:
            line = (str(error).splitlines() or [""])[0]
            print(
                f"kiln compile: {file} ended with {type(error).__name__}: {line}", file=sys.stderr
            )
        return names


def _choose(found: dict[str, Any], file: str, name: str | None, arguments: str) -> JITFunction:
    kernels = {k: v for k, v in found.items() if isinstance(v, _KERNELS) and type(v) is not Macro}
    if name is None and arguments:  # for the function that makes a kernel, not for what it made
        makers = {k: v for k, v in kernels.items() if isinstance(v, LazyFunction)}
        kernels = makers or kernels
    if name is None and len(kernels) == 1:
        name = next(iter(kernels))
    if name is None and kernels:
        raise UsageError(f"{file} has {len(kernels)} kernels, expected --kernel with one of: "
                         f"{', '.join(kernels)}")  # fmt: skip
    if name not in kernels:
        asked = "no kernel" if name is None else f"no kernel '{name}'"
        known = ", ".join(kernels) or "none"
        raise UsageError(f"found {asked} in {file}, expected one of: {known}")
    kernel = kernels[name]
    if isinstance(kernel, LazyFunction):
        return _call(kernel, arguments).prim_func
    if arguments:
        raise UsageError(f"--args: '{name}' is a kernel itself, expected none")
    if isinstance(kernel, EagerKernel):
        raise UsageError(
            f"kernel '{name}' takes its extents from the arrays of a call: found none, expected a "
            f"kernel with declared shapes, such as one = {name}.compile(…) in the file"
        )
    return kernel.prim_func if isinstance(kernel, Kernel) else kernel


def _call(function: LazyFunction, arguments: str) -> Kernel:
    """Calls a @tilelang.jit function with arguments written like a call's."""
    try:
        call = ast.parse(f"f({arguments})", mode="eval").body
    except SyntaxError:
        raise UsageError(
            f"--args: found {arguments!r}, expected a list like 'M=64, N=32'"
        ) from None
    assert isinstance(call, ast.Call)
    positional = [_value(ast.unparse(a)) for a in call.args]
    named = {k.arg: _value(ast.unparse(k.value)) for k in call.keywords if k.arg}
    try:
        inspect.signature(function.fn).bind(*positional, **named)
    except TypeError as error:
        raise UsageError(f"--args: {function.fn.__name__}(): {error}") from None
    return function(*positional, **named)


def _target(args: argparse.Namespace) -> dict[str, str]:
    """The request's target, if what is asked of it is there."""
    stages = CPU_STAGES if args.device == "cpu" else IMAGE_STAGES
    if args.emit not in stages:
        raise UsageError(
            f"--emit: found {args.emit!r}, expected one of {', '.join(stages)} on {args.device}"
        )
    if args.emit == "npo" and not args.output:
        raise UsageError("--emit npo: found no file for the program image, expected -o F")
    if args.device != "cpu":
        for flag, value in (("--cpu", args.cpu), ("--features", args.features)):
            if value is not None:
                raise UsageError(f"{flag}: found it with --device {args.device}, expected the cpu")
        return {"device": args.device}
    cpu, features = _native.host_cpu()
    if args.cpu is not None:
        cpu, features = args.cpu, ""
    return {"device": "cpu", "cpu": cpu, "features": args.features or features}


def _request(kernel: JITFunction, args: argparse.Namespace) -> dict[str, Any]:
    target = _target(args)
    chosen = dict(_assignment(text, "--option") for text in args.option)
    try:
        encoded = json.loads(kernel._encode_options(chosen))
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    if isinstance(kernel, PrimFunc):
        signature = _declared_signature(kernel, args)
    else:
        signature = _signature(kernel, args)
    return {
        "schema": 1,
        "capture": kernel.capture.to_json(),
        "signature": signature,
        "options": {**encoded, "streaming": False},
        "target": target,
        # The text of an image is made from the image.
        "emit": ["object" if args.device != "cpu" and args.emit in ("npo", "asm") else args.emit],
        "dump_dir": args.dump_dir,
        "explain_access": args.explain_access,
    }


def _assignment(text: str, flag: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"{flag}: found '{text}', expected NAME=VALUE")
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    """A Python literal, an element type ("fp32", "tl.float32"), or the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        pass
    public = getattr(kiln.language, text.rpartition(".")[2], None)
    return public if isinstance(public, dtype) else text


def _declared_signature(kernel: PrimFunc, args: argparse.Namespace) -> list[dict[str, Any]]:
    """What the declarations of a TileLang kernel say of its arguments."""
    for flag, value in (("--sig", args.sig), ("--const", args.const)):
        if value:
            name = kernel.fn.__name__
            raise UsageError(f"{flag}: the parameters of '{name}' are declared, expected none")
    signature: list[dict[str, Any]] = []
    for number, param in enumerate(kernel.params):
        if param.name in kernel.tensors:
            element = kernel.tensors[param.name].dtype.kiln_name
            alias = 0 if args.alias else number
            facts = {"type": "*" + element, "divisibility": 16, "alias_set": alias}
        else:
            facts = {"type": param.scalar_type}
        signature.append({"kind": "arg", **facts})
    return signature


def _signature(kernel: JITFunction, args: argparse.Namespace) -> list[dict[str, Any]]:
    constants = dict(_assignment(text, "--const") for text in args.const)
    types = [t.strip() for t in args.sig.split(",") if t.strip()]
    known = {p.name for p in kernel.params}
    for name in constants:
        if name not in known:
            raise UsageError(f"--const: kernel '{kernel.fn.__name__}' has no parameter '{name}'")
    signature, used, pointers = [], 0, 0
    for param in kernel.params:
        if param.name in constants or param.is_constexpr:
            if param.name not in constants and not param.has_default:
                raise UsageError(
                    f"found no value of '{param.name}', expected --const {param.name}=…"
                )
            value = constants.get(param.name, param.default)
            encoded = values.encode(lang.unwrap(value), kernel.capture)
            signature.append({"kind": "constexpr", "value": encoded})
            continue
        if used == len(types):
            raise UsageError(
                f"--sig: found {len(types)} types, but parameter '{param.name}' needs one more"
            )
        entry = _argument(types[used])
        used += 1
        if entry.get("type", "").startswith("*"):
            entry["alias_set"] = 0 if args.alias else pointers
            pointers += 1
        signature.append(entry)
    if used < len(types):
        raise UsageError(f"--sig: found {len(types)} types, expected {used}")
    return signature


def _argument(text: str) -> dict[str, Any]:
    if text.lower() == "none":
        return {"kind": "none"}
    name, _, fact = text.partition(":")
    pointer, element = name.startswith("*"), name.lstrip("*")
    try:
        element = dtype(_names.SIGNATURE_NAMES.get(element, element)).kiln_name
    except ValueError:
        known = ", ".join((*_names.SIGNATURE_NAMES, "bf16"))
        raise UsageError(
            f"--sig: found the element type '{element}', expected one of {known}"
        ) from None
    entry: dict[str, Any] = {"kind": "arg", "type": "*" * pointer + element}
    if fact == "=1" and not pointer:
        entry["kind"] = "one"
    elif fact.isdecimal() and int(fact) > 0 and int(fact) & (int(fact) - 1) == 0:
        entry["divisibility"] = int(fact)
    elif fact:
        raise UsageError(f"--sig: found ':{fact}' after {name}, expected a power of two or '=1'")
    return entry
