// Programs at the edge of what is allowed, or that are ordered in less direct ways.
// Every pointer has 1024 elements; x[i] and y[i] are small whole numbers.

kernel "k" chip "ascend910b"
param %x : *f32  param %y : *f32  param %z : *f32 written  param %n : i32
//--- one-buffer
//= 0 3 6 9
program aiv {
  load UB[0] f32 [1024] <- GM[%x] f32 [1024]
  load UB[4096] f32 [1024] <- GM[%y] f32 [1024]
  set_flag MTE2 -> V, 0
  wait_flag MTE2 -> V, 0
  vadd UB[8192] f32 [1024], UB[0] f32 [1024], UB[4096] f32 [1024]
  set_flag V -> MTE3, 0
  wait_flag V -> MTE3, 0
  store GM[%z] f32 [1024] <- UB[8192] f32 [1024]
}
//--- two-buffers
//= 1 2 3 4
//% grid 4
program aiv {
  %slot = const.i64 0
  set_flag V -> MTE2, 0
  set_flag V -> MTE2, 1
  set_flag MTE3 -> V, 0
  set_flag MTE3 -> V, 1
  loop %i = %coreIndex to 16 step %coreCount persistent {
    %o = mul.i64 %i, 256
    %p = add.i64 %x, %o
    %q = add.i64 %z, %o
    %u = mul.i64 %slot, 256
    %w = add.i64 %u, 1024
    wait_flag V -> MTE2, %slot
    load UB[%u] f32 [64] <- GM[%p] f32 [64]
    set_flag MTE2 -> V, %slot
    wait_flag MTE2 -> V, %slot
    wait_flag MTE3 -> V, %slot
    vadds UB[%w] f32 [64], UB[%u] f32 [64], 1.0
    set_flag V -> MTE2, %slot
    set_flag V -> MTE3, %slot
    wait_flag V -> MTE3, %slot
    store GM[%q] f32 [64] <- UB[%w] f32 [64]
    set_flag MTE3 -> V, %slot
    %slot = xor.i64 %slot, 1
  }
  wait_flag V -> MTE2, 0
  wait_flag V -> MTE2, 1
  wait_flag MTE3 -> V, 0
  wait_flag MTE3 -> V, 1
}
//--- barriers-of-all-pipes
//= 0 4 8
program aiv {
  loop %i = 0 to 4 step 1 {
    load UB[0] f32 [64] <- GM[%x] f32 [64]
    pipe_barrier all
    vmuls UB[0] f32 [64], UB[0] f32 [64], 4.0
    pipe_barrier all
    store GM[%z] f32 [64] <- UB[0] f32 [64]
    pipe_barrier all
  }
}
//--- what-s-writes-is-handed-over
//= 5
program aiv {
  vdup UB[0] f32 [64], 0.0
  set_flag V -> S, 0
  wait_flag V -> S, 0
  sstore UB[0] f32 [1], 5.0
  store GM[%z] f32 [64] <- UB[0] f32 [64]
}
//--- order-through-a-third-pipe
//= 2 3
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  set_flag MTE2 -> V, 0
  wait_flag MTE2 -> V, 0
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
  set_flag V -> MTE3, 0
  wait_flag V -> MTE3, 0
  store GM[%z] f32 [64] <- UB[0] f32 [64]
  set_flag MTE3 -> S, 0
  wait_flag MTE3 -> S, 0
  sstore UB[0] f32 [1], 2.0
  sstore UB[4] f32 [1], 3.0
  store GM[%z] f32 [8] <- UB[0] f32 [8]
  pipe_barrier MTE3
}
//--- order-through-s
//= 1 1
program aiv {
  vdup UB[0] f32 [64], 1.0
  set_flag V -> S, 7
  wait_flag V -> S, 7
  store GM[%z] f32 [64] <- UB[0] f32 [64]
}
//--- reads-need-no-order
//= 0 1 2
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  pipe_barrier all
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
  vadds UB[2048] f32 [64], UB[0] f32 [64], 2.0
  store GM[%z] f32 [64] <- UB[0] f32 [64]
  %v = sload UB[0] f32 [1]
}
//--- bytes-side-by-side
//= 1 1 1 1 1 1 1 1 2
program aiv {
  vdup UB[0] f32 [8], 1.0
  vdup UB[32] f32 [8], 2.0
  load UB[64] f32 [8] <- GM[%x] f32 [8]
  pipe_barrier all
  store GM[%z] f32 [24] <- UB[0] f32 [24]
}
//--- columns-side-by-side
//= 1 1 1 1 1 1 1 1 2
program aiv {
  vdup UB[0] f32 [16, 8] stride [64, 4], 1.0
  vdup UB[32] f32 [16, 8] stride [64, 4], 2.0
  pipe_barrier all
  store GM[%z] f32 [256] <- UB[0] f32 [256]
}
//--- an-instruction-in-place
//= 0 2 4
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  pipe_barrier all
  vadd UB[0] f32 [64], UB[0] f32 [64], UB[0] f32 [64]
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64]
}
//--- the-last-element
program aiv {
  %p = add.i64 %x, 4092
  %q = add.i64 %z, 4092
  load UB[196320] f32 [1] <- GM[%p] f32 [1]
  pipe_barrier all
  store GM[%q] f32 [1] <- UB[196320] f32 [1]
}
//--- the-last-bytes-of-ub
program aiv {
  vdup UB[196320] f32 [8], 1.0
  pipe_barrier all
  store GM[%z] f32 [8] <- UB[196320] f32 [8]
}
//--- nothing-beyond-the-end
program aiv {
  %p = add.i64 %x, 1000000
  %s = mul.i64 %coreIndex, 5
  load UB[196352] f32 [%s] <- GM[%p] f32 [%s]
  loop %i = 5 to %s step 1 {
    wait_flag MTE2 -> V, 0
  }
}
//--- a-strided-load-to-the-last-byte
//= 0 1 2 3 4 5 6 7 127
program aiv {
  load UB[0] f32 [8, 8] <- GM[%x] f32 [8, 8] stride [508, 4]
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64]
}
//--- one-short-row
//= 0 1 2 -1
program aiv {
  load UB[0] f32 [3] <- GM[%x] f32 [3]
  pipe_barrier all
  store GM[%z] f32 [3] <- UB[0] f32 [3]
}
//--- rows-of-32-bytes
//= 0 1 2 3 4 5 6 7 32
program aiv {
  load UB[0] f32 [4, 8] <- GM[%x] f32 [4, 8] stride [128, 4]
  pipe_barrier all
  store GM[%z] f32 [32] <- UB[0] f32 [32]
}
//--- any-address-of-gm
//= -1 0 1 2
program aiv {
  load UB[0] f32 [3] <- GM[%x] f32 [3]
  pipe_barrier all
  %q = add.i64 %z, 4
  store GM[%q] f32 [3] <- UB[0] f32 [3]
}
//--- undefined-lanes-that-nobody-stores
//= 1 2 3 -1
program aiv {
  load UB[0] f32 [3] <- GM[%x] f32 [3]
  pipe_barrier all
  vadds UB[256] f32 [64], UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [3] <- UB[256] f32 [3]
}
//--- a-pad-before-a-sum
//= 3
program aiv {
  vdup UB[0] f32 [64], 0.0
  set_flag V -> MTE2, 0
  wait_flag V -> MTE2, 0
  load UB[0] f32 [3] <- GM[%x] f32 [3]
  set_flag MTE2 -> V, 0
  wait_flag MTE2 -> V, 0
  vcadd UB[256] f32 [1], UB[0] f32 [64]
  pipe_barrier all
  store GM[%z] f32 [1] <- UB[256] f32 [1]
}
//--- an-undefined-value-that-is-not-used
program aiv {
  %v = sload UB[0] f32 [1]
  %w = fadd.f32 %v, 1.0
}
//--- a-mask-and-a-selection
//= 0 1 2 3 3 3
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  set_flag MTE2 -> V, 0
  wait_flag MTE2 -> V, 0
  vdup UB[256] f32 [64], 3.0
  pipe_barrier V
  vcmp.lt UB[1024] i1 [64], UB[0] f32 [64], UB[256] f32 [64]
  pipe_barrier V
  vsel UB[512] f32 [64], UB[1024] i1 [64], UB[0] f32 [64], UB[256] f32 [64]
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[512] f32 [64]
}
//--- a-gather
//= 4 4 4
program aiv {
  vdup UB[0] u32 [64], 0x10
  load UB[1024] f32 [64] <- GM[%x] f32 [64]
  pipe_barrier all
  vgather UB[2048] f32 [64], UB[0] u32 [64], UB[1024] f32 [64]
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[2048] f32 [64]
}
//--- control-from-memory
//= 9 9 9 -1
program aiv {
  %c = sload GM[%x] f32 [1] control
  %b = sload GM[%y] f32 [1] control
  vdup UB[0] f32 [64], 9.0
  pipe_barrier all
  %is = cmps.eq.i64 %c, %b
  %s = add.i64 %is, 2
  store GM[%z] f32 [%s] <- UB[0] f32 [%s]
}
//--- each-core-its-part
//= 1 1
//% grid 16
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  %o = mul.i64 %coreIndex, 256
  %p = add.i64 %z, %o
  store GM[%p] f32 [64] <- UB[0] f32 [64]
}
//--- atomic-stores-of-all-cores
//= 47 47
//% grid 48
program aiv {
  vdup UB[0] f32 [1024], 1.0
  pipe_barrier all
  store.add GM[%z] f32 [1024] <- UB[0] f32 [1024]
}
//--- the-cores-meet
//= 1 1
//% grid 2
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  %o = mul.i64 %coreIndex, 256
  %p = add.i64 %z, %o
  store GM[%p] f32 [64] <- UB[0] f32 [64]
  sync_all
  %q = sub.i64 256, %o
  %r = add.i64 %z, %q
  load UB[1024] f32 [64] <- GM[%r] f32 [64]
  pipe_barrier all
  %s = add.i64 %p, 1024
  store GM[%s] f32 [64] <- UB[1024] f32 [64]
}
//--- a-flag-between-cores
//= 1 1
//% grid 2
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  %first = cmps.eq.i64 %coreIndex, 0
  if %first {
    store GM[%z] f32 [64] <- UB[0] f32 [64]
    cross_set MTE3, pair, 1
    cross_wait MTE2, pair, 1
  } else {
    cross_set MTE3, pair, 1
    cross_wait MTE2, pair, 1
    load UB[1024] f32 [64] <- GM[%z] f32 [64]
    set_flag MTE2 -> MTE3, 0
    wait_flag MTE2 -> MTE3, 0
    %q = add.i64 %z, 256
    store GM[%q] f32 [64] <- UB[1024] f32 [64]
  }
}
//--- fifteen-sets-between-cores
//% grid 2
program aiv {
  loop %i = 0 to 15 step 1 {
    cross_set MTE3, all, 0
  }
  loop %j = 0 to 15 step 1 {
    cross_wait MTE2, all, 0
  }
}
//--- all-ids-at-once
program aiv {
  loop %i = 0 to 8 step 1 {
    set_flag MTE2 -> V, %i
    set_flag V -> MTE2, %i
  }
  loop %j = 0 to 8 step 1 {
    wait_flag MTE2 -> V, %j
    wait_flag V -> MTE2, %j
  }
}
//--- more-than-a-queue-holds
//= 200
program aiv {
  vdup UB[0] f32 [64], 0.0
  pipe_barrier V
  loop %i = 0 to 200 step 1 {
    vadds UB[0] f32 [64], UB[0] f32 [64], 1.0
    pipe_barrier V
  }
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64]
}
//--- zero-trips
program aiv {
  set_flag V -> MTE2, 0
  loop %i = 0 to %coreIndex step 1 {
    wait_flag V -> MTE2, 0
    load UB[0] f32 [64] <- GM[%x] f32 [64]
    set_flag V -> MTE2, 0
  }
  wait_flag V -> MTE2, 0
}
//--- a-trap-that-holds
program aiv {
  %ok = cmps.eq.i64 %n, 1024
  trap_unless %ok, "the size is not 1024"
}
