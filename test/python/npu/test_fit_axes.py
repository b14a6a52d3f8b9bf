"""Tiles that do not fit on chip: cut and right, or refused with the reason."""

import numpy as np
import pytest

import kiln

from . import fit_kernels as kernels

DEVICE = "ascend910b"


@pytest.fixture(autouse=True)
def simulated():
    with kiln.device(DEVICE):
        yield


class Output:
    """An array of NaN between canaries."""

    ZONE = 64

    def __init__(self, shape, dtype=np.float32):
        size = int(np.prod(shape))
        self.all = np.full(size + 2 * self.ZONE, -7, dtype)
        self.array = self.all[self.ZONE : self.ZONE + size].reshape(shape)
        self.array[...] = np.nan if np.dtype(dtype).kind == "f" else -1

    def check(self):
        assert (self.all[: self.ZONE] == -7).all(), "wrote before the output"
        assert (self.all[-self.ZONE :] == -7).all(), "wrote past the output"


def random(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def assert_close(found, expected, scale=4e-6):
    assert not np.isnan(found).any(), "an element was never written"
    np.testing.assert_allclose(found, expected, rtol=scale, atol=scale * np.abs(expected).max())


@pytest.mark.parametrize(
    ("n", "block"),
    [(65_536, 65_536), (100_001, 65_536), (999_999, 1_000_000), (1, 65_536), (300, 1_000_000)],
)
def test_add(n, block):
    x, y, out = random(0, n), random(1, n), Output(n)
    kernels.add[(-(-n // block),)](x, y, out.array, n, BLOCK=block)
    np.testing.assert_array_equal(out.array, x + y)
    out.check()


@pytest.mark.parametrize("block", [65_537, 70_001])
def test_add_without_bounds(block):
    """No mask, and no piece size divides the block: the last piece is clipped."""
    x, y, out = random(0, 2 * block), random(1, 2 * block), Output(2 * block)
    kernels.add_whole[(2,)](x, y, out.array, BLOCK=block)
    np.testing.assert_array_equal(out.array, x + y)
    out.check()


@pytest.mark.parametrize(
    ("n", "block"), [(32_768, 32_768), (100_003, 100_003), (40_000, 65_536), (3, 32_768)]
)
def test_softmax(n, block):
    x, out = random(2, 2, n), Output((2, n))
    kernels.softmax[(2,)](x, out.array, n, n, BLOCK=block)
    assert_close(out.array, softmax(x))
    out.check()


def test_softmax_in_place():
    x = random(3, 2, 50_000)
    expected = softmax(x)
    kernels.softmax_in_place[(2,)](x, 50_000, BLOCK=50_000)
    assert_close(x, expected)


def test_arguments_that_may_overlap_are_refused():
    """Two pointers that the launch finds to overlap: how far apart they are, is not known."""
    x = random(3, 2, 50_000)
    with pytest.raises(kiln.CompilationError, match="(?s)tiles need .* bytes of UB"):
        kernels.softmax[(2,)](x, x, 50_000, 50_000, BLOCK=50_000)


def test_layer_norm():
    n = 60_000
    x, weight, bias, out = random(4, 2, n), random(5, n), random(6, n), Output((2, n))
    kernels.layer_norm[(2,)](x, weight, bias, out.array, n, 1e-5, BLOCK=n)
    wide = x.astype(np.float64)
    normed = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(
        wide.var(axis=1, keepdims=True) + 1e-5
    )
    assert_close(out.array, normed * weight + bias, 1e-5)
    out.check()


def test_chain():
    n = 70_000
    x, bias, residual, out = random(7, n), random(8, n), random(9, n), Output(n)
    keep = (np.random.default_rng(10).random(n) < 0.5).astype(np.int8)
    kernels.chain[(1,)](x, bias, keep, residual, out.array, n, BLOCK=80_000)
    v = x.astype(np.float64) + bias
    gelu = v / (1 + np.exp(-1.5957691 * (v + 0.044715 * v**3)))
    assert_close(out.array, np.where(keep, gelu * 2, 0) + residual, 1e-5)
    out.check()


def test_argmax():
    """Two values are combined at once; of equal ones the first counts, across pieces too."""
    n = 65_536
    x = np.random.default_rng(11).integers(-50, 50, (3, n)).astype(np.float32)
    x[1, n - 2] = 99
    x[2, [40_000, 60_000]] = 99
    out = Output(3, np.int32)
    kernels.argmax[(3,)](x, out.array, n, BLOCK=n)
    np.testing.assert_array_equal(out.array, x.argmax(axis=1))
    out.check()


@pytest.mark.parametrize(
    ("m", "n", "rows", "block"),
    [(100, 1000, 128, 1024), (70, 60, 1024, 64), (3, 40_000, 4, 40_001), (5, 20_000, 8, 32_768)],
)
def test_softmax_of_rows(m, n, rows, block):
    x, out = random(12, m, n), Output((m, n))
    kernels.softmax_rows[(-(-m // rows),)](x, out.array, m, n, ROWS=rows, BLOCK=block)
    assert_close(out.array, softmax(x))
    out.check()


@pytest.mark.parametrize(
    ("m", "n", "rows", "block"), [(1000, 200, 1024, 256), (20_000, 16, 20_001, 16)]
)
def test_column_sums(m, n, rows, block):
    x, out = random(13, m, n), Output(n)
    kernels.column_sums[(-(-n // block),)](x, out.array, m, n, ROWS=rows, BLOCK=block)
    assert_close(out.array, x.astype(np.float64).sum(axis=0), 1e-5)
    out.check()


def test_loop_over_rows():
    m, n = 3, 50_000
    x, weight, out = random(14, m, n), random(15, n), Output((m, n))
    kernels.weighted_rows[(1,)](x, weight, out.array, m, n, BLOCK=n)
    wide = x.astype(np.float64)
    assert_close(out.array, wide * weight / (wide * wide).sum(axis=1, keepdims=True), 1e-5)
    out.check()


@pytest.mark.parametrize("m", [0, 1, 5])
def test_tile_through_a_loop(m):
    n = 70_000
    x, out = random(16, max(m, 1), n), Output(n)
    kernels.sum_of_rows[(1,)](x, out.array, m, n, BLOCK=65_536 + 10_000)
    assert_close(out.array, x[:m].astype(np.float64).sum(axis=0), 1e-5)
    out.check()


def test_reverse_in_place_is_refused():
    x = random(17, 65_536)
    before = x.copy()
    with pytest.raises(kiln.CompilationError, match="(?s)tiles need .* bytes of UB.*overwrite"):
        kernels.reverse[(1,)](x, 65_536, BLOCK=65_536)
    np.testing.assert_array_equal(x, before)


def test_overlap_is_refused():
    """Pieces would add to what other pieces have yet to read."""
    x = random(18, 80_000)
    with pytest.raises(kiln.CompilationError, match="(?s)tiles need .* bytes of UB.*overwrite"):
        kernels.shifted_add[(1,)](x, 70_000, 5000, BLOCK=70_000)


def test_reading_again_after_a_store_is_refused():
    x, out = random(19, 70_000), Output(70_000)
    with pytest.raises(kiln.CompilationError, match="(?s)tiles need .* bytes of UB.*read again"):
        kernels.normalised_twice[(1,)](x, out.array, 70_000, BLOCK=70_000)
