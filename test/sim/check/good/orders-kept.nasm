// Every program of bad/races.nasm with the order that it lacks.

kernel "k" chip "ascend910b"
param %x : *f32  param %y : *f32  param %z : *f32 written  param %n : i32

//--- raw-mte2-v
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  set_flag MTE2 -> V, 3
  wait_flag MTE2 -> V, 3
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
}
//--- raw-mte2-mte3
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  set_flag MTE2 -> MTE3, 3
  wait_flag MTE2 -> MTE3, 3
  store GM[%z] f32 [64] <- UB[0] f32 [64]
}
//--- raw-mte2-s
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  set_flag MTE2 -> S, 3
  wait_flag MTE2 -> S, 3
  %v = sload UB[0] i32 [1]
}
//--- raw-v-v
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier V
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
}
//--- raw-v-mte3
program aiv {
  vdup UB[0] f32 [64], 1.0
  set_flag V -> MTE3, 3
  wait_flag V -> MTE3, 3
  store GM[%z] f32 [64] <- UB[0] f32 [64]
}
//--- raw-v-s
program aiv {
  vdup UB[0] f32 [64], 1.0
  set_flag V -> S, 3
  wait_flag V -> S, 3
  %v = sload UB[4] f32 [1]
}
//--- raw-mte3-mte2
program aiv {
  vdup UB[0] f32 [64], 1.0
  set_flag V -> MTE3, 0
  wait_flag V -> MTE3, 0
  store GM[%z] f32 [64] <- UB[0] f32 [64]
  set_flag MTE3 -> MTE2, 3
  wait_flag MTE3 -> MTE2, 3
  load UB[1024] f32 [64] <- GM[%z] f32 [64]
}
//--- raw-mte3-s
program aiv {
  vdup UB[0] f32 [64], 1.0
  set_flag V -> MTE3, 0
  wait_flag V -> MTE3, 0
  store GM[%z] f32 [64] <- UB[0] f32 [64]
  set_flag MTE3 -> S, 3
  wait_flag MTE3 -> S, 3
  %v = sload GM[%z] f32 [1]
}
//--- war-v-mte2
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
  set_flag V -> MTE2, 3
  wait_flag V -> MTE2, 3
  load UB[0] f32 [64] <- GM[%x] f32 [64]
}
//--- war-v-v
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier V
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
  pipe_barrier V
  vdup UB[0] f32 [64], 2.0
}
//--- war-mte3-mte2
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64]
  set_flag MTE3 -> MTE2, 3
  wait_flag MTE3 -> MTE2, 3
  load UB[0] f32 [64] <- GM[%x] f32 [64]
}
//--- war-mte3-v
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64]
  set_flag MTE3 -> V, 3
  wait_flag MTE3 -> V, 3
  vdup UB[128] f32 [8], 2.0
}
//--- war-v-s
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  vadds UB[1024] f32 [64], UB[0] f32 [64], 1.0
  set_flag V -> S, 3
  wait_flag V -> S, 3
  sstore UB[8] f32 [1], 7.0
}
//--- war-mte3-s
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64]
  set_flag MTE3 -> S, 3
  wait_flag MTE3 -> S, 3
  sstore UB[252] f32 [1], 7.0
}
//--- war-mte2-mte3
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  load UB[1024] f32 [64] <- GM[%z] f32 [64]
  set_flag MTE2 -> MTE3, 3
  wait_flag MTE2 -> MTE3, 3
  store GM[%z] f32 [64] <- UB[0] f32 [64]
}
//--- war-mte2-s
program aiv {
  load UB[1024] f32 [64] <- GM[%z] f32 [64]
  set_flag MTE2 -> S, 3
  wait_flag MTE2 -> S, 3
  sstore GM[%z] f32 [1], 1.0
}
//--- waw-mte2-mte2
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  pipe_barrier MTE2
  load UB[224] f32 [64] <- GM[%y] f32 [64]
}
//--- waw-mte2-v
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  set_flag MTE2 -> V, 3
  wait_flag MTE2 -> V, 3
  vdup UB[0] f32 [64], 0.0
}
//--- waw-v-mte2
program aiv {
  vdup UB[0] f32 [64], 0.0
  set_flag V -> MTE2, 3
  wait_flag V -> MTE2, 3
  load UB[0] f32 [60] <- GM[%x] f32 [60]
}
//--- waw-v-v
program aiv {
  vdup UB[0] f32 [64], 0.0
  pipe_barrier V
  vdup UB[0] f32 [64], 1.0
}
//--- waw-mte2-s
program aiv {
  load UB[0] f32 [64] <- GM[%x] f32 [64]
  set_flag MTE2 -> S, 3
  wait_flag MTE2 -> S, 3
  sstore UB[0] f32 [1], 1.0
}
//--- waw-v-s
program aiv {
  vdup UB[0] f32 [64], 0.0
  set_flag V -> S, 3
  wait_flag V -> S, 3
  sstore UB[0] f32 [1], 1.0
}
//--- waw-mte3-mte3
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64]
  pipe_barrier MTE3
  store GM[%z] f32 [32] <- UB[128] f32 [32]
}
//--- waw-mte3-s
program aiv {
  vdup UB[0] f32 [64], 1.0
  pipe_barrier all
  store GM[%z] f32 [64] <- UB[0] f32 [64]
  set_flag MTE3 -> S, 3
  wait_flag MTE3 -> S, 3
  sstore GM[%z] f32 [1], 3.0
}
