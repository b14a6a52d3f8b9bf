"""Shared by all Python tests: a private kernel cache, PyTorch tests, the table of errors."""

import importlib.util
import os
import tempfile
from pathlib import Path

import pytest

# Before anything imports kiln: kernels compiled here do not go to the user's cache.
_cache = tempfile.TemporaryDirectory(prefix="kiln-test-cache-")
os.environ["KILN_CACHE_DIR"] = _cache.name

CHECKOUT = Path(__file__).resolve().parents[2]
HAS_TORCH = importlib.util.find_spec("torch") is not None


def pytest_collection_modifyitems(items):
    """Tests that need PyTorch are skipped where it is absent; in CI its absence is a failure."""
    if HAS_TORCH or os.environ.get("CI") == "true":
        return
    reason = "PyTorch is not installed in this environment (scripts/test.sh --torch)"
    for item in items:
        if item.get_closest_marker("torch"):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def checkout():
    return CHECKOUT


# The largest c of every device, kernel and dtype (kernels/accuracy.py says what c is).
observed = pytest.StashKey[dict]()


def pytest_configure(config):
    config.stash[observed] = {}


@pytest.fixture
def observe(request):
    """observe(kernel, dtype, c): remembers the largest c for the tables at the end of the run, one
    for each device."""
    tables = request.config.stash[observed]

    def remember(kernel, dtype, c, device="cpu"):
        table = tables.setdefault(device, {})
        table[kernel, dtype] = max(table.get((kernel, dtype), 0.0), c)

    return remember


def pytest_terminal_summary(terminalreporter, config):
    write = terminalreporter.write_line
    for device, table in config.stash[observed].items():
        kernels = list(dict.fromkeys(kernel for kernel, _ in table))
        dtypes = list(dict.fromkeys(dtype for _, dtype in table))
        terminalreporter.section(
            f"{device}: largest observed c: |error| = c * eps * sqrt(length) * S"
        )
        write(f"{'kernel':<24}" + "".join(f"{dtype:>10}" for dtype in dtypes))
        for kernel in kernels:
            cells = (table.get((kernel, dtype)) for dtype in dtypes)
            row = (f"{'-' if c is None else f'{c:.3f}':>10}" for c in cells)
            write(f"{kernel:<24}" + "".join(row))
