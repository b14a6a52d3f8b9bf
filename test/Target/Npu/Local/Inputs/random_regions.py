# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that read and write regions of three buffers: `random_regions.py DIR FIRST LAST`.

Tensors live past writes of what they were loaded from, regions overlap, two buffers may be pinned
to the same bytes. NumPy runs the same program, copying at every load.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run  # noqa: E402


class Program:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.m = int(self.rng.integers(2, 6))
        self.n = int(self.rng.choice([8, 16, 20, 24, 64]))
        self.lines, self.steps, self.tensors = [], [], []
        self.count = 0
        pinned = self.rng.random() < 0.3
        self.at = ["at 1024 ", "at 1024 ", ""] if pinned else ["", "", ""]
        if self.rng.random() < 0.3:
            self.at[2] = "at 32768 "
        self.shared = pinned
        self.indent = "  "
        for _ in range(int(self.rng.integers(4, 12))):
            self.step()

    def shape(self):
        return f"{self.m}x{self.n}"

    def region(self, size=None):
        if size is None:
            rows = int(self.rng.choice([1, 1, self.m, self.rng.integers(1, self.m + 1)]))
            columns = int(self.rng.choice([self.n, self.n, self.n, 8, self.rng.integers(1, 9)]))
            size = (rows, columns)
        row = int(self.rng.integers(0, self.m - size[0] + 1))
        column = int(self.rng.choice([0, self.rng.integers(0, self.n - size[1] + 1)]))
        return row, column, size

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def offsets(self, row, column):
        # Constants, or values that are the same but not known.
        row = f"%r{row}" if self.rng.random() < 0.5 else str(row)
        return f"[{row}, {column}]"

    def step(self):
        kind = self.rng.choice(["load", "load", "compute", "store", "store"])
        if kind == "load" or not self.tensors:
            buffer = int(self.rng.integers(0, 3))
            row, column, size = self.region()
            name = self.name()
            self.lines.append(
                f"{name} = tile.local_load %b{buffer}{self.offsets(row, column)} : "
                f"!tile.local<{self.shape()}xf32> -> tensor<{size[0]}x{size[1]}xf32>"
            )
            self.steps.append(("load", name, buffer, row, column, size))
            self.tensors.append((name, size))
            return
        name, size = self.tensors[int(self.rng.integers(0, len(self.tensors)))]
        if kind == "compute":
            other = [t for t, s in self.tensors if s == size]
            second = other[int(self.rng.integers(0, len(other)))]
            made = self.name()
            self.lines.append(
                f"{made} = arith.addf {name}, {second} : tensor<{size[0]}x{size[1]}xf32>"
            )
            self.steps.append(("add", made, name, second))
            self.tensors.append((made, size))
            return
        buffer = int(self.rng.integers(0, 3))
        row, column, _ = self.region(size)
        self.lines.append(
            f"tile.local_store {name}, %b{buffer}{self.offsets(row, column)} : "
            f"tensor<{size[0]}x{size[1]}xf32>, !tile.local<{self.shape()}xf32>"
        )
        self.steps.append(("store", name, buffer, row, column, size))

    def text(self):
        shape, whole = self.shape(), f"tensor<{self.shape()}xf32>"
        head, tail = [], []
        for k in range(3):
            head += [
                f'%b{k} = tile.local_alloc {self.at[k]}"b{k}" : !tile.local<{shape}xf32>',
                f"%o{k} = arith.constant {k * self.m * self.n} : index",
                f"%x{k} = tile.view %x[%o{k}] strides [{self.n}, 1] "
                f": !tile.ptr<f32> -> !tile.view<{shape}xf32>",
                f"%i{k} = tile.load %x{k} : !tile.view<{shape}xf32> -> {whole}",
                f"tile.local_store %i{k}, %b{k}[0, 0] : {whole}, !tile.local<{shape}xf32>",
            ]
            tail += [
                f"%y{k} = tile.view %y[%o{k}] strides [{self.n}, 1] "
                f": !tile.ptr<f32> -> !tile.view<{shape}xf32>",
                f"%t{k} = tile.local_load %b{k}[0, 0] : !tile.local<{shape}xf32> -> {whole}",
                f"tile.store %t{k}, %y{k} : {whole}, !tile.view<{shape}xf32>",
            ]
        for row in range(self.m):
            head += [
                f"%c{row} = arith.constant {row} : index",
                f"%r{row} = arith.addi %zero, %c{row} : index",
            ]
        body = "\n  ".join(head + self.lines + tail)
        return f"""
func.func @kernel(%x: !tile.ptr<f32> {{tile.alias_set = 0 : i64}}, %n: i32,
                  %y: !tile.ptr<f32> {{tile.alias_set = 1 : i64}}) attributes {{tile.kernel}} {{
  %zero = arith.index_cast %n : i32 to index
  {body}
  return
}}
"""

    def reference(self, x, n, y):
        buffers = [b.copy() for b in x.reshape(3, self.m, self.n)]
        if self.shared:
            buffers[0] = buffers[1]  # the second one was filled last
        values = {}
        for kind, *what in self.steps:
            if kind == "add":
                values[what[0]] = values[what[1]] + values[what[2]]
                continue
            name, buffer, row, column, (rows, columns) = what
            part = buffers[buffer][row : row + rows, column : column + columns]
            if kind == "load":
                values[name] = part.copy()
            else:
                part[:] = values[name]
        return np.concatenate([b.reshape(-1) for b in buffers])


def main(directory, first, last):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for seed in range(int(first), int(last)):
        program = Program(seed)
        size = 3 * program.m * program.n
        values = np.random.default_rng(seed).integers(-8, 8, size).astype(np.float32)
        arguments = [values, 0, np.zeros(size, np.float32)]
        kernel = run.Kernel(program.text(), arguments, None, slow=None)
        try:
            found = run.simulate(kernel, directory, "--order", f"random:{seed}")
        except AssertionError:
            print("seed", seed, program.text())
            raise
        expected = program.reference(*arguments)
        assert (found == expected).all(), f"seed {seed}: {program.text()}{found}\n{expected}"
    print("ok", int(last) - int(first))


if __name__ == "__main__":
    main(*sys.argv[1:])
