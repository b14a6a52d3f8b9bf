# A row softmax in both languages, with tails and without: after promote-buffers, raise-access and
# canonicalization the same operations, views and loops.
# RUN: %python %s %t 1000 1024
# RUN: diff %t-triton %t-tilelang
# RUN: FileCheck %s --input-file %t-tilelang
# RUN: %python %s %t 1024 1024
# RUN: diff %t-triton %t-tilelang

# CHECK: tile.program_id 0
# CHECK: tile.view
# CHECK: tile.load {{.*}} valid{{.*}} pad
# CHECK: tile.reduce
# CHECK: arith.maxnumf
# CHECK: math.exp
# CHECK: tile.reduce
# CHECK: arith.divf
# CHECK: tile.store {{.*}} valid
# CHECK-NOT: local
import re
import subprocess
import sys

import kiln.language as tl
import kiln.tilelang as tilelang
import kiln.tilelang.language as T
import kiln.triton as triton


@triton.jit
def rows_of_triton(x, out, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < COLUMNS
    work = tl.load(x + row * COLUMNS + cols, mask=inside, other=-float("inf"))
    work = tl.exp(work - tl.max(work, axis=0))
    tl.store(out + row * COLUMNS + cols, work / tl.sum(work, axis=0), mask=inside)


@tilelang.jit(out_idx=[-1])
def rows_of_tilelang(COLUMNS, BLOCK):
    rows = T.symbolic("rows")

    @T.prim_func
    def main(x: T.Tensor((rows, COLUMNS), "float32"), out: T.Tensor((rows, COLUMNS), "float32")):
        with T.Kernel(rows) as row:
            work = T.alloc_shared((BLOCK,), "float32")
            peak = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(x[row, 0], work, pad_value=-T.infinity("float32"))
            T.reduce_max(work, peak, dim=0)
            for j in T.Parallel(BLOCK):
                work[j] = T.exp(work[j] - peak[0])
            T.reduce_sum(work, total, dim=0)
            for j in T.Parallel(BLOCK):
                work[j] = work[j] / total[0]
            T.copy(work, out[row, 0])

    return main


def body(text):
    """The operations, without what the signatures say: names of arguments, their attributes."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if "func.func" in line)
    return re.sub(r"%arg\d+: f32", "%scalar: f32", "\n".join(lines[start + 1 :]))


def compiled(*arguments):
    command = [sys.executable, "-m", "kiln", "compile", __file__, "--emit", "tile", *arguments]
    return body(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    target, columns, block = sys.argv[1:]
    both = f"COLUMNS={columns},BLOCK={block}"
    types = ["--sig", "*f32:16,*f32:16"]
    constants = [f for c in both.split(",") for f in ("--const", c)]
    texts = {
        "triton": compiled("--kernel", "rows_of_triton", *types, *constants),
        "tilelang": compiled("--kernel", "rows_of_tilelang", "--args", both),
    }
    for name, text in texts.items():
        with open(f"{target}-{name}", "w") as file:
            file.write(re.sub(r"%arg\d+", "%arg", text) + "\n")
