# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random TileLang kernels and what they mean, written out twice: as TileLang and as NumPy.

All values are small integers, which every element type holds exactly, so results are compared
for equality. A value is cut to [-LIMIT, LIMIT] before it is written to a buffer.
"""

import random

import numpy as np

LIMIT = 8
# A product and a sum of products stay below what an i8 holds.
LARGEST = 120
BUFFER_TYPES = ["float32", "float16", "int32", "bfloat16", "int8"]
WEIGHTS = [6, 3, 3, 1, 1]
COLUMNS = [1, 3, 7, 8, 16, 17, 32, 40, 64]
ROWS = [1, 2, 3, 5, 8, 16]


# What the NumPy text calls.
def read(array, start, shape, pad=0):
    """The tile at `start`; what is outside of the array reads as `pad`."""
    tile = np.full(shape, pad, np.int64)
    inner, outer = [], []
    for first, count, extent in zip(start, shape, array.shape, strict=True):
        low, high = max(first, 0), min(first + count, extent)
        if low >= high:
            return tile
        outer.append(slice(low, high))
        inner.append(slice(low - first, high - first))
    tile[tuple(inner)] = array[tuple(outer)]
    return tile


def write(array, start, tile):
    for index in np.ndindex(tile.shape):
        place = tuple(s + i for s, i in zip(start, index, strict=True))
        if all(0 <= p < extent for p, extent in zip(place, array.shape, strict=True)):
            array[place] = tile[index]


def cut(x):
    return np.clip(x, -LIMIT, LIMIT)


class Buffer:
    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape = name, dtype, shape

    @property
    def is_float(self):
        return "float" in self.dtype


class Program:
    """Lines of the two texts, and what is in scope."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        r = self.random
        self.seed = seed
        self.m, self.n = r.choice(ROWS), r.choice(COLUMNS)
        self.halves = r.random() < 0.4
        self.blocks = r.choice([1, 2, 3])
        self.programs = self.blocks * (2 if self.halves else 1)
        self.lines, self.reference = [], []
        self.depth = 0
        self.scalars = []
        self.names = 0
        self.macros = []
        self.inputs = []
        for k in range(2):
            dtype = r.choice(["float32", "float32", "float16", "int32"])
            rows = max(1, self.m * self.programs - r.randrange(0, self.m + 1))
            columns = max(1, r.choice([self.n, self.n - 1, self.n + 5, 2 * self.n, 3]))
            self.inputs.append(Buffer(f"x{k}", dtype, (rows, columns)))
        self.inputs.append(Buffer("x2", "float32", (max(1, self.n - r.randrange(0, 3)),)))
        self.output_type = r.choice(["float32", "float16", "int32"])
        rows = max(1, self.m * self.programs - r.randrange(0, self.m))
        self.outputs = [
            Buffer("y0", self.output_type, (rows, max(1, self.n - r.choice([0, 0, 1, 3])))),
            Buffer("y1", "float32", (self.programs, self.m, self.n)),
        ]
        self.buffers = []
        for k in range(r.randrange(3, 6)):
            self.buffers.append(self.declare(f"b{k}", (self.m, self.n)))
        self.rows = [self.declare(f"r{k}", (self.n,)) for k in range(2)]
        self.columns = [self.declare(f"c{k}", (self.m,)) for k in range(2)]
        self.pinned = r.random() < 0.3
        self.body()

    def declare(self, name, shape):
        return Buffer(name, self.random.choices(BUFFER_TYPES, WEIGHTS)[0], shape)

    def emit(self, tile, numpy=None):
        self.lines.append("    " * self.depth + tile)
        self.reference.append("    " * self.depth + (tile if numpy is None else numpy))

    # --- Scalars ---------------------------------------------------------------------------------
    def scalar(self, low=-3, high=3):
        """An integer expression whose value is small, valid in both texts."""
        r = self.random
        if r.random() < 0.35 or not self.scalars:
            return str(r.randint(low, high))
        name = r.choice(self.scalars)
        kind = r.randrange(5)
        if kind == 0:
            return f"({name} - {r.randint(0, 3)})"
        if kind == 1:
            return f"({name} % {r.randint(2, 4)})"
        if kind == 2:
            return f"(({name} - {r.randint(0, 4)}) // {r.randint(2, 3)})"
        return name

    def offset(self, extent):
        """As an index: a constant has to be inside (negative ones would count from the end)."""
        text = self.scalar()
        return (
            text if any(c.isalpha() for c in text) else str(self.random.randrange(min(extent, 4)))
        )

    def condition(self):
        a, b = self.scalar(), self.scalar()
        op = self.random.choice(["<", ">=", "==", "!=", ">"])
        text = f"{a} {op} {b}"
        if self.random.random() < 0.2:
            text += f" {self.random.choice(['and', 'or'])} {self.scalar()} < 2"
        return text

    # --- Lanes -----------------------------------------------------------------------------------
    def leaf(self, axes, target, at):
        """(tile text, NumPy text, bound) of an element for the lanes (axes: their names)."""
        r = self.random
        i, j = axes
        io, jo = at
        kind = r.randrange(8)
        if kind <= 3 and i and j:
            b = r.choice(self.buffers)
            text = f"{b.name}[{io}, {jo}]"
        elif kind == 4 and j:
            text = f"{r.choice(self.rows).name}[{jo}]"
        elif kind == 5 and i:
            text = f"{r.choice(self.columns).name}[{io}]"
        elif kind == 6:
            b = r.choice(self.rows + self.columns)
            if b is target:
                return "2", "2", 2
            text = f"{b.name}[{r.randrange(b.shape[0])}]"
        elif kind == 7 and (i or j):
            lane = r.choice([a for a in (i, j) if a])
            return f"({lane} % 5)", f"({lane} % 5)", 4
        elif i and j:
            text = f"{r.choice(self.buffers).name}[{io}, {jo}]"
        elif j:
            text = f"{r.choice(self.rows).name}[{jo}]"
        else:
            text = f"{r.choice(self.columns).name}[{io}]"
        return text, text, LIMIT

    def value(self, axes, target, at, depth=2):
        r = self.random
        if depth == 0 or r.random() < 0.2:
            if r.random() < 0.2:
                n = r.randint(-4, 4)
                return str(n), str(n), 4
            return self.leaf(axes, target, at)
        a, na, ba = self.value(axes, target, at, depth - 1)
        b, nb, bb = self.value(axes, target, at, depth - 1)
        kind = r.choice(["+", "-", "*", "max", "min", "where", "cast", "neg"])
        if kind == "*" and ba * bb > LARGEST or kind in "+-" and ba + bb > LARGEST:
            kind = "min"
        if kind in "+-*":
            bound = ba * bb if kind == "*" else ba + bb
            return f"({a} {kind} {b})", f"({na} {kind} {nb})", bound
        if kind in ("max", "min"):
            return f"T.{kind}({a}, {b})", f"np.{kind}imum({na}, {nb})", max(ba, bb)
        if kind == "where":
            c, nc = self.lane_condition(axes, target, at)
            return f"T.if_then_else({c}, {a}, {b})", f"np.where({nc}, {na}, {nb})", max(ba, bb)
        if kind == "cast":
            dtype = r.choice(["float32", "float16", "int32"])
            return f'T.cast({a}, "{dtype}")', na, ba
        return f"(0 - {a})", f"(0 - {na})", ba

    def lane_condition(self, axes, target, at):
        a, na, _ = self.value(axes, target, at, 1)
        b, nb, _ = self.value(axes, target, at, 0)
        op = self.random.choice(["<", ">=", "==", "!="])
        return f"{a} {op} {b}", f"{na} {op} {nb}"

    def parallel(self):
        r = self.random
        shape = r.choice(["both", "both", "both", "row", "column"])
        target = r.choice({"both": self.buffers, "row": self.rows, "column": self.columns}[shape])
        m, n = self.m, self.n
        low = [0, 0]
        dynamic = None
        if r.random() < 0.35:
            if m > 1 and r.random() < 0.5:
                low[0] = r.randrange(0, m)
                m = r.randrange(1, m - low[0] + 1)
            if n > 1:
                low[1] = r.randrange(0, n)
                n = r.randrange(1, n - low[1] + 1)
        elif r.random() < 0.3 and self.scalars:
            # An extent known at run time.
            dynamic = f"T.min(T.max({r.choice(self.scalars)} + {r.randrange(0, n + 1)}, 0), {n})"
        np_n = dynamic.replace("T.", "") if dynamic else n
        n = dynamic or n
        io = f"i + {low[0]}" if low[0] else "i"
        jo = f"j + {low[1]}" if low[1] else "j"
        if shape == "both":
            axes, place = ("i", "j"), f"{io}, {jo}"
            self.emit(f"for i, j in T.Parallel({m}, {n}):", "if True:")
            lanes = f"i, j = np.ogrid[0:{m}, 0:{np_n}]"
        elif shape == "row":
            axes, place = (None, "j"), jo
            self.emit(f"for j in T.Parallel({n}):", "if True:")
            lanes = f"j = np.arange({np_n})"
        else:
            axes, place = ("i", None), io
            self.emit(f"for i in T.Parallel({m}):", "if True:")
            lanes = f"i = np.arange({m})"
        self.reference.append("    " * (self.depth + 1) + lanes)
        self.depth += 1
        at = (io, jo)

        def assign(mask):
            t, n_, bound = self.value(axes, target, at, r.choice([1, 2, 2, 3]))
            t = f"T.min(T.max({t}, {-LIMIT}), {LIMIT})"
            whole = f"{target.name}[{place}]"
            n_ = f"cut({n_})" if mask is None else f"np.where({mask}, cut({n_}), {whole})"
            self.emit(f"{whole} = {t}", f"{whole} = {n_}")

        for _ in range(r.choice([1, 1, 2])):
            if r.random() < 0.25:
                c, nc = self.lane_condition(axes, target, at)
                self.names += 1
                mask = f"m{self.names}"
                self.lines.append("    " * self.depth + f"if {c}:")
                self.reference.append("    " * self.depth + f"{mask} = {nc}")
                self.depth += 1
                self.reference.append("    " * (self.depth - 1) + "if True:")
                assign(mask)
                self.depth -= 1
                if r.random() < 0.4:
                    self.emit("else:", "if True:")
                    self.depth += 1
                    assign(f"np.logical_not({mask})")
                    self.depth -= 1
            else:
                assign(None)
        self.depth -= 1

    # --- Whole buffers and regions ---------------------------------------------------------------
    def load(self):
        r = self.random
        source = r.choice(self.inputs)
        if source.name == "x2":
            fit = [b for b in self.rows if b.dtype == source.dtype]
            if not fit:
                return
            target = r.choice(fit)
            at = self.offset(source.shape[0])
            self.emit(
                f"T.copy(x2[{at}], {target.name})",
                f"{target.name}[:] = read(x2, ({at},), {target.shape})",
            )
            return
        row = r.choice(
            [
                f"p * {self.m}",
                f"p * {self.m}",
                self.offset(source.shape[0]),
                f"p * {self.m} + {self.scalar()}",
            ]
        )
        column = r.choice(["0", "0", self.offset(source.shape[1])])
        pad = r.choice([0, 0, 0, 3, -2])
        if r.random() < 0.3:
            fit = [b for b in self.rows if b.dtype == source.dtype]
            shape, region = (1, self.n), "[:]"
            form = f"{source.name}[{row}, {column}]"
        else:
            fit = [b for b in self.buffers if b.dtype == source.dtype]
            shape, region = (self.m, self.n), "[:, :]"
            form = f"{source.name}[{row}, {column}]"
            if r.random() < 0.3:
                form = self.region(source.name, row, column) or form
        if not fit:
            return
        target = r.choice(fit)
        option = f", pad_value={pad}" if pad else ""
        self.emit(
            f"T.copy({form}, {target.name}{option})",
            f"{target.name}{region} = read({source.name}, ({row}, {column}), {shape}, {pad})"
            + (".reshape(-1)" if region == "[:]" else ""),
        )

    def region(self, name, row, column):
        """The tile as slices; None for corners of which the lengths do not show."""
        if any(sign in row + column for sign in "%/"):
            return None
        return f"{name}[{row} : {row} + {self.m}, {column} : {column} + {self.n}]"

    def move(self):
        """A copy on the chip, with a cast; whole, or a row."""
        r = self.random
        if r.random() < 0.5:
            a, b = r.choice(self.buffers), r.choice(self.buffers)
            if a is b:
                return
            self.emit(f"T.copy({a.name}, {b.name})", f"{b.name}[:] = {a.name}")
            return
        a, b = r.choice(self.buffers), r.choice(self.rows)
        k = r.randrange(self.m)
        if r.random() < 0.5:
            self.emit(f"T.copy({a.name}[{k}, :], {b.name})", f"{b.name}[:] = {a.name}[{k}, :]")
        else:
            self.emit(f"T.copy({b.name}, {a.name}[{k}, :])", f"{a.name}[{k}, :] = {b.name}")

    def tile(self):
        r = self.random
        pool = r.choice([self.buffers, self.buffers, self.rows])
        target = r.choice(pool)
        if target.dtype == "int8" or target.dtype == "bfloat16":
            return
        same = [b for b in pool if b.dtype == target.dtype]
        a, b = r.choice(same), r.choice(same)
        names = [x.name for x in (target, a, b)]
        if pool is self.buffers and r.random() < 0.3:
            k = r.randrange(self.m)
            names = [f"{x}[{k}, :]" for x in names]
        t, a, b = names
        store = t if "[" in t else f"{t}[:]"
        op = r.choice(["add", "sub", "mul", "max", "min", "fill", "abs", "relu"])
        symbol = {"add": "+", "sub": "-", "mul": "*"}
        if op == "fill":
            n = r.randint(-LIMIT, LIMIT)
            self.emit(f"T.tile.fill({t}, {n})", f"{store} = {n}")
            return
        if op in ("abs", "relu"):
            if not target.is_float:
                return
            n = {"abs": f"np.abs({a})", "relu": f"np.maximum({a}, 0)"}[op]
            self.emit(f"T.tile.{op}({t}, {a})", f"{store} = {n}")
            return
        if r.random() < 0.3:
            b = str(r.randint(-4, 4))
        n = f"{a} {symbol[op]} {b}" if op in symbol else f"np.{op}imum({a}, {b})"
        self.emit(f"T.tile.{op}({t}, {a}, {b})", f"{store} = {n}")
        if op in symbol:
            self.emit(f"T.tile.min({t}, {t}, {LIMIT})", f"{store} = cut({t})")
            self.emit(f"T.tile.max({t}, {t}, {-LIMIT})", "pass")

    def reduce(self):
        r = self.random
        b = r.choice(self.buffers)
        dim = r.choice([0, 1, -1])
        out = r.choice(self.rows if dim == 0 else self.columns)
        if b.dtype != out.dtype or b.dtype in ("bfloat16", "int8"):
            return
        op = r.choice(["sum", "max", "min"])
        lo, hi = 0, (self.m if dim == 0 else self.n)
        region = b.name
        if r.random() < 0.4:
            lo = r.randrange(hi)
            hi = r.randrange(lo + 1, hi + 1)
            region += f"[{lo}:{hi}, :]" if dim == 0 else f"[:, {lo}:{hi}]"
        clear = r.random() < 0.8
        n = f"{region}.{op}(axis={dim})"
        if not clear:
            n = f"{out.name} + {n}" if op == "sum" else f"np.{op}imum({out.name}, {n})"
        option = "" if clear else ", clear=False"
        self.emit(
            f"T.reduce_{op}({region}, {out.name}, dim={dim}{option})", f"{out.name}[:] = cut({n})"
        )
        if op == "sum":
            # One pass over the result, so that it stays small.
            size = out.shape[0]
            self.lines.append("    " * self.depth + f"for q in T.Parallel({size}):")
            self.lines.append(
                "    " * (self.depth + 1)
                + f"{out.name}[q] = T.min(T.max({out.name}[q], {-LIMIT}), {LIMIT})"
            )

    def element(self):
        """One element from another, or into a scalar."""
        r = self.random
        b = r.choice(self.buffers)
        a = r.choice(self.rows)
        i, j = r.randrange(self.m), r.randrange(self.n)
        if r.random() < 0.5 and b.dtype == a.dtype:
            self.emit(f"{b.name}[{i}, {j}] = {a.name}[{r.randrange(self.n)}]")
        elif b.dtype == "int32":
            self.emit(f"v = (v + {b.name}[{i}, {j}]) % 7")
        else:
            self.emit(f"v = (v * 3 + {self.scalar()}) % 5")

    def store(self):
        """Every program writes rows of its own."""
        r = self.random
        y0, y1 = self.outputs
        if r.random() < 0.5:
            fit = [b for b in self.buffers if b.dtype == y0.dtype]
            if fit:
                b = r.choice(fit)
                self.emit(
                    f"T.copy({b.name}, y0[p * {self.m}, 0])",
                    f"write(y0, (p * {self.m}, 0), {b.name})",
                )
                return
        fit = [b for b in self.buffers if b.dtype == y1.dtype]
        if fit:
            b = r.choice(fit)
            if r.random() < 0.5:
                k, c = r.randrange(self.m), self.offset(self.n)
                self.emit(
                    f"T.copy({b.name}[{k}, :], y1[p, {k}, {c}])",
                    f"write(y1, (p, {k}, {c}), {b.name}[{k}, :].reshape(1, 1, -1))",
                )
            else:
                self.emit(f"T.copy({b.name}, y1[p, 0, 0])", f"write(y1, (p, 0, 0), {b.name}[None])")

    def statement(self, depth):
        r = self.random
        kind = r.choices(
            ["parallel", "load", "move", "tile", "reduce", "element", "store", "loop", "if"],
            [6, 4, 3, 4, 2, 1, 2, 2 if depth else 0, 1.5 if depth else 0],
        )[0]
        if kind == "loop":
            self.names += 1
            k = f"k{self.names}"
            start = r.choice([0, 0, 1, 3])
            trips = r.choice([0, 1, 2, 3, 4])
            dynamic = self.scalar() if r.random() < 0.3 else "0"
            stop = f"{start + trips}" if dynamic == "0" else f"{start + trips} + {dynamic}"
            form = r.choice(["serial", "Pipelined", "Pipelined", "range"])
            if form == "Pipelined":
                head = f"T.Pipelined({start}, {stop}, num_stages={r.choice([1, 2, 3])})"
                if start == 0:
                    head = f"T.Pipelined({stop}, num_stages={r.choice([1, 2, 3])})"
            else:
                head = f"{'T.serial' if form == 'serial' else 'range'}({start}, {stop})"
            self.emit(f"for {k} in {head}:", f"for {k} in range({start}, {stop}):")
            self.block(depth - 1, [k])
        elif kind == "if":
            self.emit(f"if {self.condition()}:")
            self.block(depth - 1, [])
            if r.random() < 0.4:
                self.emit("else:")
                self.block(depth - 1, [])
        else:
            getattr(self, kind)()

    def block(self, depth, names):
        self.depth += 1
        self.scalars += names
        before = len(self.lines)
        for _ in range(self.random.choice([1, 2, 3, 4])):
            self.statement(depth)
        if len(self.lines) == before:
            self.emit("v = (v + 1) % 5")
        for _ in names:
            self.scalars.pop()
        self.depth -= 1

    def body(self):
        r = self.random
        everything = self.buffers + self.rows + self.columns
        names = ", ".join(
            f'{t.name}: T.Tensor({t.shape}, "{t.dtype}")' for t in self.inputs + self.outputs
        )
        configs = ""
        if self.pinned:
            configs = (
                'pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True}'
            )
        head = [
            "import kiln.tilelang as tilelang",
            "import kiln.tilelang.language as T",
            "",
            f"@tilelang.jit({configs})",
            "def make():",
            "    @T.prim_func",
            f"    def main({names}):",
        ]
        reference = [f"def reference({', '.join(t.name for t in self.inputs + self.outputs)}):"]
        if self.halves:
            head.append(f"        with T.Kernel({self.blocks}) as (cid, vid):")
        else:
            head.append(f"        with T.Kernel({self.blocks}, threads=1) as p:")
        reference.append(f"    for p in range({self.programs}):")
        self.depth = 3
        self.scalars = ["p", "v"]
        self.lines = []
        self.reference = []
        if self.halves:
            self.emit("p = cid * 2 + vid", "cid, vid = p // 2, p % 2")
            self.scalars += ["cid", "vid"]
        for b in everything:
            kind = r.choice(["shared", "ub", "fragment"])
            self.emit(
                f'{b.name} = T.alloc_{kind}({b.shape}, "{b.dtype}")',
                f"{b.name} = np.zeros({b.shape}, np.int64)",
            )
        if self.pinned:
            chosen = r.sample(everything, 2)
            text = ", ".join(f"{b.name}: {65536 + 16384 * k}" for k, b in enumerate(chosen))
            self.emit(f"T.annotate_address({{{text}}})", "pass")
        if r.random() < 0.5:
            self.emit('v = T.alloc_var("int32", init=1)', "v = 1")
        else:
            self.emit('v = T.cast(1, "int32")', "v = 1")
        for k, b in enumerate(everything):
            self.emit(f"T.tile.fill({b.name}, {k - 3})", f"{b.name}[:] = {k - 3}")
        for _ in range(r.randrange(3, 9)):
            self.statement(2)
        y0, y1 = self.outputs
        for b in self.buffers:
            if b.dtype == y0.dtype:
                self.emit(
                    f"T.copy({b.name}, y0[p * {self.m}, 0])",
                    f"write(y0, (p * {self.m}, 0), {b.name})",
                )
                break
        # Everything that was computed shows.
        f = Buffer("shown", "float32", (self.m, self.n))
        self.emit(
            f'shown = T.alloc_shared({f.shape}, "float32")',
            f"shown = np.zeros({f.shape}, np.int64)",
        )
        terms = [f"{b.name}[i, j]" for b in self.buffers]
        terms += [f"{b.name}[j]" for b in self.rows] + [f"{b.name}[i]" for b in self.columns]
        weighed = [f'T.cast({t}, "float32") * {float(k + 1)}' for k, t in enumerate(terms)]
        plain = [f"{t} * {k + 1}" for k, t in enumerate(terms)]
        self.emit(
            f"for i, j in T.Parallel({self.m}, {self.n}):",
            f"i, j = np.ogrid[0:{self.m}, 0:{self.n}]",
        )
        self.lines.append(
            "    " * (self.depth + 1)
            + f'shown[i, j] = {" + ".join(weighed)} + T.cast(v, "float32")'
        )
        self.reference.append("    " * self.depth + f"shown[i, j] = {' + '.join(plain)} + v")
        self.emit("T.copy(shown, y1[p, 0, 0])", "write(y1, (p, 0, 0), shown[None])")
        self.tile_text = "\n".join(head + self.lines + ["", "    return main", ""])
        cut_one = [line[4:] for line in self.reference]
        self.numpy_text = "\n".join(reference + cut_one) + "\n"
