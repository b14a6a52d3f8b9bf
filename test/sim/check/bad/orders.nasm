// Races of programs that do synchronise, but not enough, and of several cores.
kernel "k" chip "ascend910b"
param %x : *f32  param %y : *f32  param %z : *f32 written  param %n : i32

//--- flag-set-too-early
//! race: read after write in UB: no flag orders V behind MTE2 (AIV 0, V, vadds #3)*(AIV 0, MTE2, load #1)
program aiv {
  set_flag MTE2 -> V, 0
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  wait_flag MTE2 -> V, 0
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
}
//--- flag-of-the-other-direction
//! race: read after write in UB: no flag orders V behind MTE2 (AIV 0, V, vadds #3)*(AIV 0, MTE2, load #0)
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  set_flag V -> MTE2, 0
  wait_flag V -> MTE2, 0
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
}
//--- wait-of-an-older-load
//! race: read after write in UB: no flag orders V behind MTE2 (AIV 0, V, vadd #4)*(AIV 0, MTE2, load #2)
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  set_flag MTE2 -> V, 0
  load UB[256] f32 [64] <- GM[%y] f32 [64]
  wait_flag MTE2 -> V, 0
  vadd UB[1024] f32 [64], UB[0] f32 [64], UB[256] f32 [64]
}
//--- barrier-of-another-pipe
//! race: read after write in UB: no barrier on V lies between (AIV 0, V, vadds #2)*(AIV 0, V, vdup #0)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier MTE2
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
}
//--- barrier-before-both
//! race: read after write in UB: no barrier on V lies between (AIV 0, V, vsel #5)*(AIV 0, V, vcmp #4)
program aiv {
  vdup UB[0] f32 [64], 1.0
  vdup UB[256] f32 [64], 2.0
  vdup UB[512] f32 [64], 3.0
  pipe_barrier V
  vcmp.lt UB[1024] i1 [64], UB[0] f32 [64], UB[256] f32 [64]
  vsel UB[512] f32 [64], UB[1024] i1 [64], UB[0] f32 [64], UB[256] f32 [64]
}
//--- the-next-iteration-loads-too-early
//! race: write after read in UB: no flag orders MTE2 behind V (AIV 0, MTE2, load #1)*(AIV 0, V, vadds #4)
//! race: write after write in UB: no barrier on MTE2 lies between (AIV 0, MTE2, load #1)*(AIV 0, MTE2, load #1)
//! flag misuse: flag 0 from MTE2 to V*(AIV 0, MTE2, set_flag #2)
program aiv {
  loop %i = 0 to 3 step 1 {
    load UB[0] f32 [64] <- GM[%x] f32 [64]
    set_flag MTE2 -> V, 0
    wait_flag MTE2 -> V, 0
    vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
    pipe_barrier V
  }
}
//--- one-branch-without-a-flag
//! race: read after write in UB: no flag orders V behind MTE2 (AIV 1, V, vadds #6)*(AIV 1, MTE2, load #0)
//% grid 2
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  %first = cmps.eq.i64 %coreIndex, 0
  if %first {
    set_flag MTE2 -> V, 0
    wait_flag MTE2 -> V, 0
  }
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
}
//--- a-column-of-a-strided-tile
//! race: read after write in UB: no barrier on V lies between (AIV 0, V, vadds #3)*(AIV 0, V, vdup #2)
program aiv {
  vdup UB[0] f32 [16, 32], 1.0
  pipe_barrier V
  vdup UB[32] f32 [16, 8] stride [128, 4], 2.0
  vadds UB[4096] f32 [16, 16], UB[0] f32 [16, 16] stride [128, 4], 1.0
}
//--- gathered-bytes
//! race: read after write in UB: no barrier on V lies between (AIV 0, V, vgather #3)*(AIV 0, V, vdup #2)
program aiv {
  vdup UB[0] u32 [64], 0x10
  pipe_barrier V
  vdup UB[1024] f32 [64], 1.0
  vgather UB[2048] f32 [64], UB[0] u32 [64], UB[1024] f32 [64]
}
//--- atomic-then-plain
//! race: read after write in GM: no flag orders MTE2 behind MTE3 (AIV 0, MTE2, load #3)*(AIV 0, MTE3, store #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store.add GM[%z] f32 [64] <- UB[0] f32 [64]
  load UB[1024] f32 [64] <- GM[%z] f32 [64]
}
//--- two-cores-write-the-same-bytes
//! k.py:3:1: race: two writes of the same bytes of GM: nothing orders the cores (AIV 1, MTE3, store #2)*(AIV 0, MTE3, store #2)
//% grid 3
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:3:1
}
//--- one-core-reads-what-another-writes
//! race: a read and a write of the same bytes of GM: nothing orders the cores (AIV 1, MTE2, load #6)*(AIV 0, MTE3, store #4)
//% grid 2
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  %first = cmps.eq.i64 %coreIndex, 0
  if %first {
    store GM[%z] f32 [64] <- UB[0] f32 [64]
  } else {
    load UB[1024] f32 [64] <- GM[%z] f32 [64]
  }
}
//--- atomic-and-plain-of-two-cores
//! race: two writes of the same bytes of GM: nothing orders the cores (AIV 1, MTE3, store #6)*(AIV 0, MTE3, store #4)
//% grid 2
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  %first = cmps.eq.i64 %coreIndex, 0
  if %first {
    store GM[%z] f32 [64] <- UB[0] f32 [64]
  } else {
    store.add GM[%z] f32 [64] <- UB[0] f32 [64]
  }
}
//--- neighbours-by-one-element
//! race: two writes of the same bytes of GM: nothing orders the cores (AIV 1, MTE3, store #4)*(AIV 0, MTE3, store #4)
//% grid 2
program aiv {
  vdup UB[0] f32 [65], 1.0
  pipe_barrier all
  %o = mul.i64 %coreIndex, 256
  %p = add.i64 %z, %o
  store GM[%p] f32 [65] <- UB[0] f32 [65]
}
//--- the-cores-meet-before-the-store
//! race: a read and a write of the same bytes of GM: nothing orders the cores (AIV 1, MTE2, load #8)*(AIV 0, MTE3, store #5)
//% grid 2
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  sync_all
  %o = mul.i64 %coreIndex, 256
  %p = add.i64 %z, %o
  store GM[%p] f32 [64] <- UB[0] f32 [64]
  %q = sub.i64 256, %o
  %r = add.i64 %z, %q
  load UB[1024] f32 [64] <- GM[%r] f32 [64]
}
