# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suite `npu`: modelled times of kernels on the simulated NPU against its modelled HBM bound.

Times come from the simulator in its timing-only mode and are the same in every run. `value` is what
a kernel must move over its time; the time is that of TIME_INCLUDES: dirty lines count. `binding` is
the resource that was busy for the largest part of the kernel.
"""

from collections.abc import Callable, Iterator

from kiln.bench import modelled
from kiln.bench.modelled import CHIP, Problem
from kiln.bench.row import Row

SIZES = {"64MiB": 64 << 20}
ROW_LENGTHS = (1024, 4096)
BY_ROWS = (modelled.softmax, modelled.layer_norm, modelled.rms_norm, modelled.fused_elementwise)


def cases() -> Iterator[tuple[str, Callable[[], Problem]]]:
    for size_name, size in SIZES.items():
        yield f"vector_add_f32_{size_name}", lambda s=size: modelled.vector_add(s)
        for make in BY_ROWS:
            for columns in ROW_LENGTHS:
                yield (
                    f"{make.__name__}_f32_{size_name}_rows{columns}",
                    lambda m=make, s=size, c=columns: m(s, c),
                )


def row(name: str, problem: Problem) -> Row:
    report = modelled.launch(problem)
    cycles = report["kernel_cycles"] + report["write_back_cycles"]
    seconds = cycles / (report["clock_ghz"] * 1e9)
    rate = problem.moved / seconds
    bound = modelled.hbm_bytes_per_second()
    return Row(
        "npu",
        name,
        CHIP,
        "f32",
        "x".join(map(str, problem.shape)),
        rate / 1e9,
        "GB/s",
        bound=bound / 1e9,
        bound_share=rate / bound,
        modelled=True,
        extra={
            "bound_kind": "modelled HBM",
            "binding": report["busiest"],
            "microseconds": seconds * 1e6,
            "kernel_cycles": report["kernel_cycles"],
            "write_back_cycles": report["write_back_cycles"],
            "launch_microseconds": report["launch_microseconds"],
            "dispatch_cycles": report["dispatch_cycles"],
            "moved_bytes": problem.moved,
            "hbm_bytes": report["hbm_read_bytes"]
            + report["hbm_write_bytes"]
            + report["dirty_bytes"],
            "time_includes": modelled.TIME_INCLUDES,
        },
    )


def rows(wanted: Callable[[str], bool], quick: bool) -> Iterator[Row]:
    del quick  # one launch says it all: modelled times do not vary
    for name, make in cases():
        if wanted(name):
            yield row(name, make())
