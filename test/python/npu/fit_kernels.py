"""Kernels whose tiles may be larger than the memory on chip."""

import kiln.language as tl
import kiln.triton as triton


@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = lane < n
    tl.store(z + lane, tl.load(x + lane, mask=inside) + tl.load(y + lane, mask=inside), mask=inside)


@triton.jit
def add_whole(x, y, z, BLOCK: tl.constexpr):
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + lane, tl.load(x + lane) + tl.load(y + lane))


@triton.jit
def softmax(x, y, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + lane, mask=lane < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * stride + lane, e / tl.sum(e, axis=0), mask=lane < n)


@triton.jit
def softmax_in_place(x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + lane, mask=lane < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(x + row * n + lane, e / tl.sum(e, axis=0), mask=lane < n)


@triton.jit
def layer_norm(x, weight, bias, y, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    inside = lane < n
    v = tl.load(x + row * n + lane, mask=inside, other=0.0)
    centred = tl.where(inside, v - tl.sum(v, axis=0) / n, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    w = tl.load(weight + lane, mask=inside)
    b = tl.load(bias + lane, mask=inside)
    tl.store(y + row * n + lane, centred * scale * w + b, mask=inside)


@triton.jit
def chain(x, bias, keep, residual, y, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    inside = lane < n
    v = tl.load(x + lane, mask=inside) + tl.load(bias + lane, mask=inside)
    sigmoid = 1.0 / (1.0 + tl.exp(-1.5957691 * (v + 0.044715 * v * v * v)))
    kept = tl.where(tl.load(keep + lane, mask=inside) != 0, v * sigmoid * 2.0, 0.0)
    tl.store(y + lane, kept + tl.load(residual + lane, mask=inside), mask=inside)


@triton.jit
def reverse(x, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    inside = lane < n
    v = tl.load(x + (n - 1 - lane), mask=inside)
    tl.store(x + lane, v, mask=inside)


@triton.jit
def normalised_twice(x, y, n, BLOCK: tl.constexpr):
    """Stores x before the sum of what it held is used again."""
    lane = tl.arange(0, BLOCK)
    inside = lane < n
    v = tl.load(x + lane, mask=inside, other=0.0)
    tl.store(x + lane, v * 2.0, mask=inside)
    tl.store(y + lane, v / tl.sum(v, axis=0), mask=inside)


@triton.jit
def argmax(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + lane, mask=lane < n, other=-float("inf"))
    tl.store(y + row, tl.argmax(v, axis=0))


@triton.jit
def softmax_rows(x, y, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    lane = tl.arange(0, BLOCK)
    at = row[:, None] * n + lane[None, :]
    inside = (row[:, None] < m) & (lane[None, :] < n)
    v = tl.load(x + at, mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    tl.store(y + at, e / tl.sum(e, axis=1)[:, None], mask=inside)


@triton.jit
def column_sums(x, y, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.arange(0, ROWS)
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (row[:, None] < m) & (lane[None, :] < n)
    v = tl.load(x + row[:, None] * n + lane[None, :], mask=inside, other=0.0)
    tl.store(y + lane, tl.sum(v, axis=0), mask=lane < n)


@triton.jit
def weighted_rows(x, weight, y, m, n, BLOCK: tl.constexpr):
    """A loop over rows inside the program; the weights are loaded in front of it."""
    lane = tl.arange(0, BLOCK)
    inside = lane < n
    w = tl.load(weight + lane, mask=inside)
    for row in range(m):
        v = tl.load(x + row * n + lane, mask=inside, other=0.0)
        tl.store(y + row * n + lane, v * w / tl.sum(v * v, axis=0), mask=inside)


@triton.jit
def sum_of_rows(x, y, m, n, BLOCK: tl.constexpr):
    """The tile goes through the loop."""
    lane = tl.arange(0, BLOCK)
    inside = lane < n
    total = tl.zeros((BLOCK,), tl.float32)
    for row in range(m):
        total += tl.load(x + row * n + lane, mask=inside, other=0.0)
    tl.store(y + lane, total, mask=inside)


@triton.jit
def shifted_add(x, n, shift, BLOCK: tl.constexpr):
    """x[i + shift] += x[i]: reads and writes overlap."""
    lane = tl.arange(0, BLOCK)
    inside = lane < n
    v = tl.load(x + lane, mask=inside) + tl.load(x + shift + lane, mask=inside)
    tl.store(x + shift + lane, v, mask=inside)
