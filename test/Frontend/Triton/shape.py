# Lanes move by splat, expand, collapse, broadcast and transpose alone.
# RUN: %kiln compile %s --kernel outer --sig '*f32,*f32' --emit tile | FileCheck %s --check-prefix OUTER
# RUN: %kiln compile %s --kernel moves --sig '*f32' --emit tile
# RUN: %kiln compile %s --kernel pairs --sig '*f32,*f32' --emit tile | FileCheck %s --check-prefix PAIRS
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def outer(x, out):
    rows = tl.arange(0, 3)
    cols = tl.arange(0, 5)
    block = tl.load(x + rows)[:, None] * tl.load(x + cols)[None, :]
    tl.store(out + rows[:, None] * 5 + cols[None, :], block.T.trans(1, 0))


@triton.jit
def moves(x):
    a = tl.load(x + tl.arange(0, 24))
    b = a.reshape(2, 3, 4)
    tl.static_assert(b.shape == (2, 3, 4))
    tl.static_assert(b.numel == 24)
    tl.static_assert(b.permute(2, 0, 1).shape == (4, 2, 3))
    tl.static_assert(tl.trans(b).shape == (2, 4, 3))
    tl.static_assert(tl.permute(b, (-1, 0, 1)).shape == (4, 2, 3))
    tl.static_assert(tl.expand_dims(b, (0, -1)).shape == (1, 2, 3, 4, 1))
    tl.static_assert(b[:, None].shape == (2, 1, 3, 4))
    tl.static_assert(b[None, :, :, None, :].shape == (1, 2, 3, 1, 4))
    tl.static_assert(tl.squeeze(b.reshape([2, 1, 12]), 1).shape == (2, 12))
    tl.static_assert(tl.unsqueeze(a, -1).shape == (24, 1))
    tl.static_assert(tl.broadcast_to(a[:, None], (24, 2)).shape == (24, 2))
    tl.static_assert(a[None, :].broadcast_to(4, 24).shape == (4, 24))
    p, q = tl.broadcast(a[:, None], tl.zeros((1, 7), tl.float32))
    tl.static_assert(p.shape == (24, 7))
    tl.static_assert(q.shape == (24, 7))
    tl.static_assert(b.ravel().shape == (24,))
    tl.static_assert(tl.view(b, 4, 6).shape == (4, 6))
    tl.static_assert(tl.full((), 1.0, tl.float32).shape == ())
    tl.static_assert((b + tl.zeros((3, 1), tl.float32)).shape == (2, 3, 4))


@triton.jit
def pairs(x, out):
    lanes = tl.arange(0, 6)
    a = tl.load(x + lanes)
    joined = tl.join(a, a + 1)
    tl.static_assert(joined.shape == (6, 2))
    left, right = joined.split()
    tl.static_assert(left.shape == (6,))
    tl.static_assert(tl.interleave(a, a).shape == (12,))
    tl.static_assert(tl.cat(a, a).shape == (12,))
    tl.static_assert(tl.cat(a[:, None], a[:, None], dim=1).shape == (6, 2))
    tl.store(out + lanes, left - right)


# OUTER-LABEL: func.func @outer(
# OUTER:         linalg.broadcast ins({{.*}} : tensor<3xf32>) outs({{.*}} : tensor<3x5xf32>) dimensions = [1]
# OUTER:         linalg.broadcast ins({{.*}} : tensor<5xf32>) outs({{.*}} : tensor<3x5xf32>) dimensions = [0]
# OUTER:         arith.mulf {{.*}} : tensor<3x5xf32>
# Two transposes are none.
# OUTER-NOT:     linalg.transpose
# OUTER:         tile.view %arg1{{.*}} strides [5, 1]

# PAIRS-LABEL: func.func @pairs(
# PAIRS:         %[[JOINED:.*]] = arith.select {{.*}} : tensor<6x2xi1>, tensor<6x2xf32>
# PAIRS:         tile.reduce(%[[JOINED]]) axis 1 {
# PAIRS-NEXT:    ^bb0(%[[L:.*]]: f32, %{{.*}}: f32):
# PAIRS-NEXT:      tile.yield %[[L]] : f32
# PAIRS:         tile.reduce(%[[JOINED]]) axis 1 {
# PAIRS-NEXT:    ^bb0(%{{.*}}: f32, %[[R:.*]]: f32):
# PAIRS-NEXT:      tile.yield %[[R]] : f32
