// Accesses of the same bytes by two pipes, or twice by one, that nothing orders: each kind of race
// on each pair of pipes of a vector core that can have it. (What S does first is handed over in
// order, so S is only ever the second of a pair.)
kernel "k" chip "ascend910b"
param %x : *f32  param %y : *f32  param %z : *f32 written  param %n : i32

//--- raw-mte2-v
//! k.py:2:1: race: read after write in UB: no flag orders V behind MTE2 (AIV 0, V, vadds #1)*k.py:1:1*writes the same bytes of UB (AIV 0, MTE2, load #0)
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64] @k.py:1:1
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0 @k.py:2:1
}
//--- raw-mte2-mte3
//! k.py:2:1: race: read after write in UB: no flag orders MTE3 behind MTE2 (AIV 0, MTE3, store #1)*k.py:1:1*(AIV 0, MTE2, load #0)
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64] @k.py:1:1
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:2:1
}
//--- raw-mte2-s
//! k.py:2:1: race: read after write in UB: no flag orders S behind MTE2 (AIV 0, S, sload #1)*(AIV 0, MTE2, load #0)
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64] @k.py:1:1
  %v = sload UB[0] i32 [1] @k.py:2:1
}
//--- raw-v-v
//! k.py:2:1: race: read after write in UB: no barrier on V lies between (AIV 0, V, vadds #1)*k.py:1:1*(AIV 0, V, vdup #0)
program aiv {
  vdup UB[0] f32 [64], 1.0 @k.py:1:1
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0 @k.py:2:1
}
//--- raw-v-mte3
//! k.py:2:1: race: read after write in UB: no flag orders MTE3 behind V (AIV 0, MTE3, store #1)*(AIV 0, V, vdup #0)
program aiv {
  vdup UB[0] f32 [64], 1.0 @k.py:1:1
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:2:1
}
//--- raw-v-s
//! k.py:2:1: race: read after write in UB: no flag orders S behind V (AIV 0, S, sload #1)*(AIV 0, V, vdup #0)
program aiv {
  vdup UB[0] f32 [64], 1.0 @k.py:1:1
  %v = sload UB[4] f32 [1] @k.py:2:1
}
//--- raw-mte3-mte2
//! k.py:5:1: race: read after write in GM: no flag orders MTE2 behind MTE3 (AIV 0, MTE2, load #4)*k.py:4:1*(AIV 0, MTE3, store #3)
program aiv {
  vdup UB[0] f32 [64], 1.0
  set_flag V -> MTE3, 0
  wait_flag V -> MTE3, 0
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:4:1
  load UB[1024] f32 [64] <- GM[%z] f32 [64] @k.py:5:1
}
//--- raw-mte3-s
//! k.py:5:1: race: read after write in GM: no flag orders S behind MTE3 (AIV 0, S, sload #4)*(AIV 0, MTE3, store #3)
program aiv {
  vdup UB[0] f32 [64], 1.0
  set_flag V -> MTE3, 0
  wait_flag V -> MTE3, 0
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:4:1
  %v = sload GM[%z] f32 [1] @k.py:5:1
}
//--- war-v-mte2
//! k.py:3:1: race: write after read in UB: no flag orders MTE2 behind V (AIV 0, MTE2, load #3)*k.py:2:1*reads the same bytes of UB (AIV 0, V, vadds #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0 @k.py:2:1
  load UB[0] f32 [64] <- GM[%x] f32 [64] @k.py:3:1
}
//--- war-v-v
//! k.py:3:1: race: write after read in UB: no barrier on V lies between (AIV 0, V, vdup #3)*(AIV 0, V, vadds #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier V
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0 @k.py:2:1
  vdup UB[0] f32 [64], 2.0 @k.py:3:1
}
//--- war-mte3-mte2
//! k.py:3:1: race: write after read in UB: no flag orders MTE2 behind MTE3 (AIV 0, MTE2, load #3)*(AIV 0, MTE3, store #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:2:1
  load UB[0] f32 [64] <- GM[%x] f32 [64] @k.py:3:1
}
//--- war-mte3-v
//! k.py:3:1: race: write after read in UB: no flag orders V behind MTE3 (AIV 0, V, vdup #3)*(AIV 0, MTE3, store #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:2:1
  vdup UB[128] f32 [8], 2.0 @k.py:3:1
}
//--- war-v-s
//! k.py:3:1: race: write after read in UB: no flag orders S behind V (AIV 0, S, sstore #3)*(AIV 0, V, vadds #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0 @k.py:2:1
  sstore UB[8] f32 [1], 7.0 @k.py:3:1
}
//--- war-mte3-s
//! k.py:3:1: race: write after read in UB: no flag orders S behind MTE3 (AIV 0, S, sstore #3)*(AIV 0, MTE3, store #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:2:1
  sstore UB[252] f32 [1], 7.0 @k.py:3:1
}
//--- war-mte2-mte3
//! k.py:4:1: race: write after read in GM: no flag orders MTE3 behind MTE2 (AIV 0, MTE3, store #3)*(AIV 0, MTE2, load #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  load UB[1024] f32 [64] <- GM[%z] f32 [64] @k.py:3:1
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:4:1
}
//--- war-mte2-s
//! k.py:2:1: race: write after read in GM: no flag orders S behind MTE2 (AIV 0, S, sstore #1)*(AIV 0, MTE2, load #0)
program aiv {
  load UB[1024] f32 [64] <- GM[%z] f32 [64] @k.py:1:1
  sstore GM[%z] f32 [1], 1.0 @k.py:2:1
}
//--- waw-mte2-mte2
//! k.py:2:1: race: write after write in UB: no barrier on MTE2 lies between (AIV 0, MTE2, load #1)*(AIV 0, MTE2, load #0)
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64] @k.py:1:1
  load UB[224] f32 [64] <- GM[%y] f32 [64] @k.py:2:1
}
//--- waw-mte2-v
//! k.py:2:1: race: write after write in UB: no flag orders V behind MTE2 (AIV 0, V, vdup #1)*(AIV 0, MTE2, load #0)
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64] @k.py:1:1
  vdup UB[0] f32 [64], 0.0 @k.py:2:1
}
//--- waw-v-mte2
//! k.py:2:1: race: write after write in UB: no flag orders MTE2 behind V (AIV 0, MTE2, load #1)*(AIV 0, V, vdup #0)
program aiv {
  vdup UB[0] f32 [64], 0.0 @k.py:1:1
  load UB[0] f32 [60] <- GM[%x] f32 [60] @k.py:2:1
}
//--- waw-v-v
//! k.py:2:1: race: write after write in UB: no barrier on V lies between (AIV 0, V, vdup #1)*(AIV 0, V, vdup #0)
program aiv {
  vdup UB[0] f32 [64], 0.0 @k.py:1:1
  vdup UB[0] f32 [64], 1.0 @k.py:2:1
}
//--- waw-mte2-s
//! k.py:2:1: race: write after write in UB: no flag orders S behind MTE2 (AIV 0, S, sstore #1)*(AIV 0, MTE2, load #0)
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64] @k.py:1:1
  sstore UB[0] f32 [1], 1.0 @k.py:2:1
}
//--- waw-v-s
//! k.py:2:1: race: write after write in UB: no flag orders S behind V (AIV 0, S, sstore #1)*(AIV 0, V, vdup #0)
program aiv {
  vdup UB[0] f32 [64], 0.0 @k.py:1:1
  sstore UB[0] f32 [1], 1.0 @k.py:2:1
}
//--- waw-mte3-mte3
//! k.py:4:1: race: write after write in GM: no barrier on MTE3 lies between (AIV 0, MTE3, store #3)*(AIV 0, MTE3, store #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:3:1
  store GM[%z] f32 [32] <- UB[128] f32 [32] @k.py:4:1
}
//--- waw-mte3-s
//! k.py:4:1: race: write after write in GM: no flag orders S behind MTE3 (AIV 0, S, sstore #3)*(AIV 0, MTE3, store #2)
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64] @k.py:3:1
  sstore GM[%z] f32 [1], 3.0 @k.py:4:1
}
