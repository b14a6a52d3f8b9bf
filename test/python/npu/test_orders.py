"""Values do not depend on the order in which the pipes run, nor on what else is simulated."""

import pytest

import kiln

from .table_on_device import CHIP, KERNELS, check, run

SEEDS = range(20)
SAMPLE = [
    ("vector_add", "f32", 4097),
    ("vector_add", "i8", 1023),
    ("softmax", "f16", 1023),
    ("softmax", "f32", 4097),
    ("layer_norm", "bf16", 1000),
    ("layer_norm", "f32", 1023),
    ("rms_norm", "f32", 127),
    ("fused_elementwise_none", "f32", 1023),
    ("fused_elementwise_tanh", "f16", 4097),
]
sample = pytest.mark.parametrize(
    ("name", "dtype", "length"), SAMPLE, ids=["-".join(map(str, case)) for case in SAMPLE]
)


@sample
def test_random_orders(name, dtype, length):
    inputs = check.inputs_of(KERNELS[name], dtype, length)
    expected = run(name, dtype, inputs)
    for seed in SEEDS:
        found = run(name, dtype, inputs, mode="functional", order=seed)
        assert found.tobytes() == expected.tobytes(), f"order {seed}"


@sample
def test_timing_only_takes_the_same_ways(name, dtype, length):
    """Same branches, addresses, sizes and times where only what feeds them is computed."""
    inputs = check.inputs_of(KERNELS[name], dtype, length)
    run(name, dtype, inputs, control_trace=True, check=False)
    full = kiln.launch_report(CHIP)
    with kiln.device(CHIP), kiln.simulation(CHIP, mode="timing_only", control_trace=True):
        KERNELS[name].launch(*inputs, out=inputs[0].copy())
    slice_only = kiln.launch_report(CHIP)
    assert int(full["control_hash"], 16) != 0
    for key in ("control_hash", "kernel_cycles", "write_back_cycles", "hbm_read_bytes"):
        assert slice_only[key] == full[key], key
