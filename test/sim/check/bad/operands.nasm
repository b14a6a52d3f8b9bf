// Operands that are wrong when the instruction runs: places, alignment, shapes, undefined bytes.
// Every pointer has 1024 elements.
kernel "k" chip "ascend910b"
param %x : *f32  param %y : *f32  param %z : *f32 written  param %n : i32

//--- a-load-past-the-end
//! k.py:2:1: out of bounds: operand 1 covers bytes 4000 to 4100 of argument 'x', expected 0 to 4096 at most (AIV 0, MTE2, load #1)
program aiv {
  %p = add.i64 %x, 4000
  load UB[0] f32 [25] <- GM[%p] f32 [25] @k.py:2:1
}
//--- a-load-before-the-start
//! out of bounds: operand 1 covers bytes -4 to 60 of argument 'y'*(AIV 0, MTE2, load #1)
program aiv {
  %p = sub.i64 %y, 4
  load UB[0] f32 [16] <- GM[%p] f32 [16]
}
//--- the-last-row-of-a-strided-load
//! out of bounds: operand 1 covers bytes 0 to 4124*argument 'x'*(AIV 0, MTE2, load #0)
program aiv {
  load UB[0] f32 [8, 9] stride [64, 4] <- GM[%x] f32 [8, 9] stride [584, 4]
}
//--- a-store-past-the-end
//! out of bounds: the destination covers bytes 2048 to 4352 of argument 'z'*(AIV 0, MTE3, store #3)
program aiv {
  vdup UB[0] f32 [576], 1.0
  pipe_barrier all
  %p = add.i64 %z, 2048
  store GM[%p] f32 [576] <- UB[0] f32 [576]
}
//--- a-store-to-a-read-only-argument
//! out of bounds: the destination covers a write to argument 'x', which is read-only (AIV 0, MTE3, store #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%x] f32 [64] <- UB[0] f32 [64]
}
//--- an-address-of-nothing
//! out of bounds: operand 1 covers global addresses*belong to no argument (AIV 0, MTE2, load #1)
program aiv {
  %p = add.i64 %coreIndex, 4096
  load UB[0] f32 [16] <- GM[%p] f32 [16]
}
//--- a-scalar-past-the-end
//! out of bounds: *bytes 4096 to 4100 of argument 'x'*(AIV 0, S, sload #1)
program aiv {
  %p = add.i64 %x, 4096
  %v = sload GM[%p] f32 [1]
}
//--- beyond-ub
//! k.py:1:1: out of bounds: the destination covers bytes 196096 to 196608 of UB, expected 0 to 196352 at most (AIV 0, V, vdup #0)
program aiv {
  vdup UB[196096] f32 [128], 1.0 @k.py:1:1
}
//--- below-ub
//! out of bounds: the destination covers bytes -32 to*of UB*(AIV 0, V, vdup #1)
program aiv {
  %p = sub.i64 %coreIndex, 32
  vdup UB[%p] f32 [64], 1.0
}
//--- a-gather-beyond-its-source
//! out of bounds: *(AIV 0, V, vgather #3)
program aiv {
  vdup UB[0] u32 [64], 0x100
  vdup UB[1024] f32 [64], 1.0
  pipe_barrier V
  vgather UB[2048] f32 [64], UB[0] u32 [64], UB[1024] f32 [64]
}
//--- a-vector-operand-off-its-block
//! k.py:3:1: misaligned: operand 1 starts at byte 4 of UB, expected a multiple of 32 (AIV 0, V, vadds #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier V
  vadds UB[1024] f32 [32], UB[4] f32 [32], 1.0 @k.py:3:1
}
//--- a-load-off-its-block
//! misaligned: the destination starts at byte 16 of UB, expected a multiple of 32 (AIV 0, MTE2, load #0)
program aiv {
  load UB[16] f32 [64] <- GM[%x] f32 [64]
}
//--- rows-off-their-blocks
//! misaligned: the destination has rows every 40 bytes, expected a multiple of 32 (AIV 0, V, vdup #0)
program aiv {
  vdup UB[0] f32 [4, 8] stride [40, 4], 1.0
}
//--- a-scalar-off-its-size
//! misaligned: *(AIV 0, S, sload #1)
program aiv {
  vdup UB[0] f32 [64], 1.0
  %v = sload UB[130] f32 [1]
}
//--- an-atomic-store-off-its-element
//! misaligned: an atomic store to an address that is not a multiple of 4 (AIV 0, MTE3, store #3)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  %p = add.i64 %z, 2
  store.add GM[%p] f32 [64] <- UB[0] f32 [64]
}
//--- short-rows-loaded
//! k.py:1:1: illegal instruction: a transfer of several rows of 28 bytes, expected rows of at least 32 (AIV 0, MTE2, load #0)
program aiv {
  load UB[0] f32 [4, 7] stride [32, 4] <- GM[%x] f32 [4, 7] stride [64, 4] @k.py:1:1
}
//--- short-rows-stored
//! illegal instruction: a transfer of several rows of 4 bytes, expected rows of at least 32 (AIV 0, MTE3, store #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [8, 1] stride [64, 4] <- UB[0] f32 [8, 1] stride [32, 4]
}
//--- short-rows-by-a-size-in-a-register
//! illegal instruction: a transfer of several rows of 20 bytes*(AIV 0, MTE2, load #1)
program aiv {
  %w = rems.i64 %n, 1019
  load UB[0] f32 [4, %w] stride [32, 4] <- GM[%x] f32 [4, %w] stride [64, 4]
}
//--- shapes-that-differ-when-it-runs
//! illegal instruction: operand 1 has 32 elements, expected the destination's 33 (AIV 0, V, vadds #3)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier V
  %w = add.i64 %coreIndex, 33
  vadds UB[1024] f32 [%w], UB[0] f32 [32], 1.0
}
//--- a-destination-on-its-shifted-operand
//! illegal instruction: operand 1 shares bytes with the destination*(AIV 0, V, vadds #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier V
  vadds UB[32] f32 [32], UB[0] f32 [32], 1.0
}
//--- a-destination-named-twice
//! illegal instruction: the destination names some bytes several times*(AIV 0, V, vdup #1)
program aiv {
  %s = mul.i64 %coreIndex, 32
  vdup UB[0] f32 [4, 8] stride [%s, 4], 1.0
}
//--- an-empty-operand
//! illegal instruction: operand 1 is empty, but the destination is not (AIV 0, V, vadds #3)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier V
  %w = mul.i64 %coreIndex, 33
  vadds UB[1024] f32 [8], UB[0] f32 [%w], 1.0
}
//--- a-loop-with-step-0
//! k.py:1:1: illegal instruction: a loop with the step 0, expected more than 0 (AIV 0, S, loop #0)
program aiv {
  loop %i = 0 to 4 step %coreIndex @k.py:1:1 {
  }
}
//--- an-undefined-store
//! k.py:1:1: undefined: undefined bytes are stored, the first at byte 0 of argument 'z' (AIV 0, MTE3, store #0)
program aiv {
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:1:1
}
//--- one-lane-too-many-stored
//! undefined: undefined bytes are stored, the first at byte 240 of argument 'z' (AIV 0, MTE3, store #3)
program aiv {
  load UB[0] f32 [60] <- GM[%x] f32 [60]
  set_flag MTE2 -> MTE3, 0
  wait_flag MTE2 -> MTE3, 0
  store GM[%z] f32 [61] <- UB[0] f32 [61]
}
//--- what-was-computed-from-undefined-lanes
//! undefined: undefined bytes are stored, the first at byte 128 of argument 'z' (AIV 0, MTE3, store #4)
program aiv {
  vdup UB[0] f32 [32], 1.0
  pipe_barrier V
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[1024] f32 [64]
}
//--- a-sum-of-undefined-lanes
//! undefined: undefined bytes are stored*(AIV 0, MTE3, store #4)
program aiv {
  vdup UB[0] f32 [63], 1.0
  pipe_barrier V
  vcadd UB[1024] f32 [1], UB[0] f32 [64]
  pipe_barrier all
  store GM[%z] f32 [1] <- UB[1024] f32 [1]
}
//--- an-undefined-atomic-store
//! undefined: undefined bytes are stored*(AIV 0, MTE3, store #0)
program aiv {
  store.add GM[%z] f32 [64] <- UB[0] f32 [64]
}
//--- an-undefined-branch
//! k.py:2:1: undefined: a branch comes from memory that was never written (AIV 0, S, if #1)
program aiv {
  %c = sload UB[0] i32 [1] control
  if %c @k.py:2:1 {
  }
}
//--- an-undefined-trip-count
//! undefined: a loop's bound or step comes from memory that was never written (AIV 0, S, loop #1)
program aiv {
  %c = sload UB[0] i32 [1] control
  loop %i = 0 to %c step 1 {
  }
}
//--- an-undefined-address
//! undefined: an address, size or flag comes from memory that was never written (AIV 0, S, load #3)
program aiv {
  %c = sload UB[0] i32 [1] control
  %o = and.i64 %c, 4
  %p = add.i64 %x, %o
  load UB[0] f32 [64] <- GM[%p] f32 [64] @k.py:4:1
}
//--- an-undefined-size
//! undefined: an address, size or flag comes from memory that was never written (AIV 0, S, vdup #2)
program aiv {
  %c = sload UB[0] i32 [1] control
  %s = and.i64 %c, 63
  vdup UB[1024] f32 [%s], 1.0
}
//--- undefined-offsets-of-a-gather
//! undefined: *(AIV 0, V, vgather #2)
program aiv {
  vdup UB[1024] f32 [64], 1.0
  pipe_barrier V
  vgather UB[2048] f32 [64], UB[0] u32 [64], UB[1024] f32 [64]
}
