"""Runs tensor IR after kiln-npu-legalize on the CPU, so that its numbers can be compared.

A program is a list of IR lines over named input tensors; results are stored one array each. The IR
goes through kiln-npu-legalize and canonicalization, as in a compilation, is checked to hold only
what the vector unit has (docs/design/npu-target.md), and is then compiled by the CPU target through
the compiler's C interface.
"""

import ctypes
import json
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import ml_dtypes
import numpy as np

from kiln import _native

CHECKOUT = Path(__file__).resolve().parents[3]
KILN_OPT = CHECKOUT / "build" / "dev" / "bin" / "kiln-opt"

MLIR_TYPES = {
    np.dtype(np.float32): "f32",
    np.dtype(np.float16): "f16",
    np.dtype(ml_dtypes.bfloat16): "bf16",
    **{np.dtype(f"{sign}int{bits}"): f"i{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}

_FLOATS = {"f16", "f32"}
_WORDS = {"i16", "i32"}
_ANY = {"i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32"}
# Element types that may meet in one op on tensors (masks of selections aside).
LEGAL = {
    **dict.fromkeys(("addf", "subf", "mulf", "divf", "maxnumf", "minnumf", "negf"), _FLOATS),
    **dict.fromkeys(("addi", "subi", "muli", "maxsi", "minsi", "shli", "shrsi", "shrui"), _WORDS),
    **dict.fromkeys(("andi", "ori", "xori"), _WORDS | {"i1"}),
    "cmpf": _FLOATS | {"i1"},
    "cmpi": {"i32", "i1"},
    "select": _FLOATS | _WORDS | {"i1"},
    "constant": _ANY,
    "bitcast": _ANY - {"i1", "i64"},
}
LEGAL_MATH = {
    **dict.fromkeys(("absf", "exp", "log", "sqrt", "rsqrt", "fma"), _FLOATS),
    **dict.fromkeys(("floor", "ceil", "round", "roundeven", "trunc"), {"f32"}),
}
CASTS = {
    "extf": {("f16", "f32"), ("bf16", "f32")},
    "truncf": {("f32", "f16"), ("f32", "bf16")},
    "sitofp": {("i8", "f16"), ("i16", "f16"), ("i16", "f32"), ("i32", "f16"), ("i32", "f32")}
    | {("i64", "f32")},
    "uitofp": {("i8", "f16")},
    "fptosi": {("f16", "i8"), ("f16", "i32"), ("f32", "i32"), ("f32", "i64"), ("f16", "i16")}
    | {("f32", "i16")},
    "extsi": {("i16", "i32"), ("i32", "i64"), ("i16", "i64")},
    "trunci": {("i32", "i16"), ("i64", "i32")},
}
LONG = {
    "divsi",
    "divui",
    "remsi",
    "remui",
    "maxui",
    "minui",
    "addi",
    "subi",
    "muli",
    "andi",
    "ori",
    "xori",
    "maxsi",
    "minsi",
    "shli",
    "shrsi",
    "shrui",
}


def illegal_ops(generic_text, allow_long=False):
    """Ops on tensors that the vector unit does not have, of IR in generic form."""
    wrong = []
    for line in generic_text.splitlines():
        found = re.search(r'"(arith|math)\.(\w+)"\(.*\) : \((.*?)\) -> (.*)$', line)
        if not found or "tensor<" not in found[4]:
            continue
        dialect, name, operands, results = found.groups()
        sides = [re.findall(r"tensor<(?:\d+x)*(\w+)>", side) for side in (operands, results)]
        elements = {*sides[0], *sides[1]}
        if allow_long and name in LONG and elements == {"i64"}:
            continue
        if sides[0][:1] == ["i1"] and name in ("extui", "extsi", "uitofp", "sitofp"):
            continue  # what canonicalization makes of selections of 1 and 0
        if name in CASTS:
            legal = (sides[0][0], sides[1][0]) in CASTS[name]
        else:
            table = LEGAL if dialect == "arith" else LEGAL_MATH
            legal = elements <= table.get(name, set())
        if not legal:
            wrong.append(f"{dialect}.{name}: {operands} -> {results}")
    return wrong


@dataclass
class Program:
    """`inputs` by name, in IR `%name`; `lines` of IR; `results`: name of a value, its dtype."""

    inputs: dict[str, np.ndarray]
    lines: list[str] = field(default_factory=list)
    results: dict[str, np.dtype] = field(default_factory=dict)
    allow_long: bool = False

    def result(self, name, line, dtype):
        self.lines.append(line)
        self.results[name] = np.dtype(dtype)

    def mask_result(self, name, line, shape):
        self.lines.append(line)
        self.lines.append(
            f"%{name}_byte = arith.extui %{name} : tensor<{shape}xi1> to tensor<{shape}xi8>"
        )
        self.results[f"{name}_byte"] = np.dtype(np.int8)

    def text(self, shapes):
        arrays = {**{name: array.dtype for name, array in self.inputs.items()}, **self.results}
        arguments = ", ".join(
            f"%{name}_ptr: !tile.ptr<{MLIR_TYPES[dtype]}> {{tile.alias_set = {k} : i64}}"
            for k, (name, dtype) in enumerate(arrays.items())
        )
        lines = [f"func.func @kernel({arguments}) attributes {{tile.kernel}} {{"]
        lines.append("%start = arith.constant 0 : index")

        def view(name):
            shape, element = shapes[name], MLIR_TYPES[arrays[name]]
            strides = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
            dims = "x".join(map(str, shape))
            lines.append(
                f"%{name}_view = tile.view %{name}_ptr[%start] strides {strides} : "
                f"<{element}> -> <{dims}x{element}>"
            )
            return f"<{dims}x{element}>", f"tensor<{dims}x{element}>"

        for name in self.inputs:
            view_type, tensor = view(name)
            lines.append(f"%{name} = tile.load %{name}_view : {view_type} -> {tensor}")
        lines += self.lines
        for name in self.results:
            view_type, tensor = view(name)
            lines.append(f"tile.store %{name}, %{name}_view : {tensor}, {view_type}")
        return "\n".join([*lines, "return", "}"])

    def run(self, shapes=None):
        """Results by name. Shapes of results that differ from the first input's are given."""
        default = next(iter(self.inputs.values())).shape
        shapes = {
            **{name: array.shape for name, array in self.inputs.items()},
            **dict.fromkeys(self.results, default),
            **(shapes or {}),
        }
        legal = legalize(self.text(shapes))
        wrong = illegal_ops(legal, self.allow_long)
        assert not wrong, wrong
        outputs = {name: np.zeros(shapes[name], dtype) for name, dtype in self.results.items()}
        arrays = [np.ascontiguousarray(array) for array in self.inputs.values()]
        call(legal, [*arrays, *outputs.values()])
        return outputs


def opt(text, *flags):
    return subprocess.run(
        [KILN_OPT, "-", *flags], timeout=60, input=text, capture_output=True, text=True, check=False
    )


def legalize(text, *more_passes):
    done = opt(
        text,
        "--kiln-npu-legalize",
        "--canonicalize",
        "--cse",
        *more_passes,
        "--mlir-print-op-generic",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class _Launch(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint32 * 3),
        ("reserved", ctypes.c_uint32),
        ("services", ctypes.c_void_p),
    ]


def _compile(mlir):
    """The kernel's object; no contraction, so that operations round one by one."""
    library = ctypes.CDLL(_native.compiler_path())
    library.kilnCompile.restype = ctypes.c_void_p
    library.kilnCompile.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
    library.kilnCompilationReport.restype = ctypes.c_char_p
    library.kilnCompilationReport.argtypes = [ctypes.c_void_p]
    library.kilnCompilationObject.restype = ctypes.c_void_p
    library.kilnCompilationObject.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)]
    library.kilnCompilationDestroy.argtypes = [ctypes.c_void_p]
    cpu, features = _native.host_cpu()
    request = json.dumps(
        {
            "schema": 1,
            "mlir": mlir,
            "emit": ["object"],
            "options": {"enable_fp_fusion": False},
            "target": {"device": "cpu", "cpu": cpu, "features": features},
        }
    ).encode()
    compilation = library.kilnCompile(request, len(request), None)
    report = json.loads(library.kilnCompilationReport(compilation))
    assert report["ok"], report["diagnostics"]
    size = ctypes.c_size_t()
    data = library.kilnCompilationObject(compilation, ctypes.byref(size))
    image = ctypes.string_at(data, size.value)
    library.kilnCompilationDestroy(compilation)
    return image, report["scratch_bytes"]


def call(mlir, arguments, grid=(1, 1, 1)):
    """Compiles for this CPU and runs the first program of the grid; arguments are arrays or i32."""
    image, scratch_bytes = _compile(mlir)
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(image)
        file.flush()
        kernel = ctypes.CDLL(file.name).kiln_kernel
        launch = _Launch((ctypes.c_uint32 * 3)(*grid), 0, None)
        slots = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments]
        block = (ctypes.c_uint64 * len(slots))(*slots)
        scratch = np.zeros(scratch_bytes + 64, np.uint8)
        aligned = -(-scratch.ctypes.data // 64) * 64
        kernel.argtypes = [
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.c_uint64,
            ctypes.c_uint64,
            ctypes.c_void_p,
        ]
        status = kernel(ctypes.byref(launch), block, 0, 1, aligned)
    assert status == 0
