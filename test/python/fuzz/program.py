"""Random kernels, each as source in the kernel language and as NumPy code on float64.

A kernel loads blocks, combines them by a random expression graph (arithmetic, selects, reductions
over any axis, loops that carry blocks, stores that are read back in another order) and stores some
results. Float operations are chosen so that values stay within a few units and rounding errors grow
slowly: one tolerance fits all. Integers wrap around and are exact.
"""

from dataclasses import dataclass, field

import numpy as np

BOUND = 4.0
SIZES_1D = (1, 3, 7, 31, 64, 100, 127, 256, 1000, 1024)
SIZES_2D = (1, 2, 5, 8, 13, 16, 33, 64)
DTYPES = {"float32": np.float32, "float16": np.float16, "float64": np.float64}


@dataclass
class Value:
    """A variable of both programs; `kind` is float, int or bool, `full` tells a whole block."""

    name: str
    kind: str
    full: bool


@dataclass
class Program:
    rng: np.random.Generator
    shape: tuple
    block: tuple
    dtype: str
    kernel: list = field(default_factory=list)
    numpy: list = field(default_factory=list)
    values: list = field(default_factory=list)
    outputs: int = 0
    int_outputs: int = 0
    indent: str = "    "
    count: int = 0

    def emit(self, kind, full, kernel, numpy):
        value = Value(f"v{self.count}", kind, full)
        self.count += 1
        self.kernel.append(f"{self.indent}{value.name} = {kernel}")
        self.numpy.append(f"{self.indent}{value.name} = {numpy}")
        self.values.append(value)
        return value

    def pick(self, kind, full=None):
        fits = [v for v in self.values if v.kind == kind and full in (None, v.full)]
        return fits[self.rng.integers(len(fits))]

    def clamp(self, text, module):
        return f"{module}.minimum({module}.maximum({text}, -{BOUND}), {BOUND})"

    def float_op(self):
        a, b = self.pick("float"), self.pick("float")
        full = a.full or b.full
        forms = {
            "add": ("({a} + {b})", full),
            "sub": ("({a} - {b})", full),
            "mul": ("({a} * {b} * 0.25)", full),
            "max": ("{m}.maximum({a}, {b})", full),
            "min": ("{m}.minimum({a}, {b})", full),
            "exp": ("{m}.exp({m}.minimum({a}, 1.0))", a.full),
            "div": ("({a} / ({m}.abs({b}) + 1.0))", full),
            "sqrt": ("{m}.sqrt({m}.abs({a}) + 1.0)", a.full),
        }
        text, full = forms[self.rng.choice(list(forms))]
        one = [text.format(a=a.name, b=b.name, m=m) for m in ("tl", "np")]
        self.emit("float", full, self.clamp(one[0], "tl"), self.clamp(one[1], "np"))

    def int_op(self):
        a, b = self.pick("int"), self.pick("int")
        text = self.rng.choice(["{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} & {b}", "{a} ^ {b}"])
        text = text.format(a=a.name, b=b.name)
        self.emit("int", a.full or b.full, text, text)

    def compare(self):
        a, b = self.pick("int"), self.pick("int")
        text = f"{a.name} {self.rng.choice(['<', '<=', '==', '!=', '>', '>='])} {b.name}"
        self.emit("bool", a.full or b.full, text, text)

    def select(self):
        kind = self.rng.choice(["float", "int"])
        c, a, b = self.pick("bool", True), self.pick(kind), self.pick(kind)
        args = f"({c.name}, {a.name}, {b.name})"
        self.emit(kind, True, f"tl.where{args}", f"np.where{args}")

    def reduce(self):
        kind = self.rng.choice(["float", "int"])
        a = self.pick(kind, True)
        name = self.rng.choice(["sum", "max", "min"])
        axis = int(self.rng.integers(len(self.block)))
        keep = "" if len(self.block) == 1 else ("[None, :]", "[:, None]")[axis]
        scale = f" * (1.0 / {self.block[axis]})" if kind == "float" and name == "sum" else ""
        cast = ".astype(np.int32)" if kind == "int" else ""
        self.emit(
            kind,
            False,
            f"tl.{name}({a.name}, axis={axis}){keep}{scale}",
            f"np.{name}({a.name}, axis={axis}, keepdims={len(self.block) == 2}){scale}{cast}",
        )

    def argmax(self):
        if len(self.block) == 1:
            a = self.pick("int", True)
            name = self.rng.choice(["argmax", "argmin"])
            self.emit(
                "int", False, f"tl.{name}({a.name}, axis=0)", f"np.int32(np.{name}({a.name}))"
            )

    def transpose(self):
        if len(self.block) == 2 and self.block[0] == self.block[1]:
            kind = self.rng.choice(["float", "int"])
            a = self.pick(kind, True)
            self.emit(kind, True, f"tl.trans({a.name})", f"{a.name}.T")

    def loop(self):
        """A loop that carries two blocks and swaps their roles."""
        if self.indent != "    ":
            return
        a, b = self.pick("float", True), self.pick("float", True)
        first = self.emit("float", True, f"{a.name} + 0.0", f"{a.name} + 0.0")
        second = self.emit("float", True, f"{b.name} + 0.0", f"{b.name} + 0.0")
        for lines, name in ((self.kernel, "trips"), (self.numpy, "trips")):
            lines.append(f"    for i in range({name}):")
        outside = list(self.values)
        self.indent = "        "
        for _ in range(self.rng.integers(1, 4)):
            self.step()
        inner = self.pick("float")
        for lines, m in ((self.kernel, "tl"), (self.numpy, "np")):
            lines.append(f"        t = {self.clamp(f'{first.name} * 0.5 + {inner.name}', m)}")
            lines.append(f"        {first.name} = {second.name}")
            lines.append(f"        {second.name} = t")
        self.indent = "    "
        self.values = outside

    def round_trip(self):
        """Stores a block and reads it back in reverse: all lanes are stored before any is read."""
        if len(self.block) != 1 or self.indent != "    ":
            return
        a = self.pick("int", True)
        self.kernel.append(f"    tl.store(room_ptr + i0, {a.name})")
        self.emit("int", True, f"tl.load(room_ptr + {self.block[0] - 1} - i0)", f"{a.name}[::-1]")

    def step(self):
        makers = [self.float_op] * 5 + [self.int_op] * 2 + [self.compare, self.select] * 2
        makers += [self.reduce] * 3 + [self.argmax, self.transpose, self.round_trip, self.loop]
        makers[self.rng.integers(len(makers))]()

    def store(self, kind):
        a = self.pick(kind, True)
        name = "out" if kind == "float" else "iout"
        index = self.outputs if kind == "float" else self.int_outputs
        cast = f".to(tl.{self.dtype})" if kind == "float" else ""
        size = int(np.prod(self.shape))
        where = f"{name}_ptr + {index * size} + offsets"
        self.kernel.append(f"    tl.store({where}, {a.name}{cast}, mask=inside)")
        self.numpy.append(f"    {name}.append({a.name})")
        if kind == "float":
            self.outputs += 1
        else:
            self.int_outputs += 1


def next_power_of_2(size):
    return 1 << (int(size) - 1).bit_length()


def make(seed):
    """The program number `seed`."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 3))
    shape = tuple(int(rng.choice(SIZES_1D if rank == 1 else SIZES_2D)) for _ in range(rank))
    block = tuple(next_power_of_2(size) for size in shape)
    program = Program(rng, shape, block, str(rng.choice(list(DTYPES), p=[0.7, 0.2, 0.1])))
    lines = [f"    i{d} = tl.arange(0, {block[d]})" for d in range(rank)]
    if rank == 1:
        lines += ["    offsets = i0", f"    inside = i0 < {shape[0]} + zero"]
    else:
        lines += [
            f"    offsets = i0[:, None] * {shape[1]} + i1[None, :]",
            f"    inside = (i0[:, None] < {shape[0]} + zero) & (i1[None, :] < {shape[1]})",
        ]
    program.kernel += lines
    wide = "tl.float64" if program.dtype == "float64" else "tl.float32"
    for index in range(2):
        program.emit(
            "float",
            True,
            f"tl.load(x{index}_ptr + offsets, mask=inside, other={index}.5).to({wide})",
            f"x{index}",
        )
    program.emit("int", True, "tl.load(n_ptr + offsets, mask=inside, other=-7)", "n")
    lanes = ["i0", "i0[:, None]"][rank - 1]
    numpy_lanes = f"np.arange({block[0]}, dtype=np.int32)" + ("[:, None]" if rank == 2 else "")
    program.emit("int", False, f"{lanes} * 3", f"{numpy_lanes} * np.int32(3)")
    program.emit("bool", True, "inside", "inside")
    for _ in range(rng.integers(4, 16)):
        program.step()
    for _ in range(rng.integers(1, 4)):
        program.store("float")
    program.store("int")
    return program


def kernel_source(program):
    arguments = "out_ptr, iout_ptr, x0_ptr, x1_ptr, n_ptr, room_ptr, zero, trips"
    head = ["import kiln.language as tl", "import kiln.triton as triton", "", "", "@triton.jit"]
    return "\n".join([*head, f"def kernel({arguments}):", *program.kernel, ""])


def numpy_source(program):
    head = ["import numpy as np", "", "", "def reference(x0, x1, n, inside, trips):"]
    head += ["    out, iout = [], []"]
    return "\n".join([*head, *program.numpy, "    return out, iout", ""])
