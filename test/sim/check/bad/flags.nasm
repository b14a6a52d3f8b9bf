// Programs that do not come to an end, and flags that are not used in pairs.
kernel "k" chip "ascend910b"
param %x : *f32  param %y : *f32  param %z : *f32 written  param %n : i32

//--- wait-without-set
//! k.py:1:1: deadlock: waits for flag 0 from MTE2 to V, but nobody is left to end that (AIV 0, V, wait_flag #0)
program aiv {
  wait_flag MTE2 -> V, 0 @k.py:1:1
}
//--- wait-for-another-id
//! deadlock: waits for flag 1 from MTE2 to V*(AIV 0, V, wait_flag #1)
program aiv {
  set_flag MTE2 -> V, 0
  wait_flag MTE2 -> V, 1
}
//--- two-waits-of-one-set
//! deadlock: waits for flag 0 from MTE2 to V*(AIV 0, V, wait_flag #2)
program aiv {
  set_flag MTE2 -> V, 0
  wait_flag MTE2 -> V, 0
  wait_flag MTE2 -> V, 0
}
//--- each-waits-for-the-other
//! deadlock: 2 units wait for one another*(AIV 0, V, wait_flag #0)*(AIV 0, MTE2, wait_flag #2)
program aiv {
  wait_flag MTE2 -> V, 0 @k.py:1:1
  set_flag V -> MTE2, 0
  wait_flag V -> MTE2, 0 @k.py:3:1
  set_flag MTE2 -> V, 0
}
//--- three-in-a-ring
//! deadlock: 3 units wait for one another*wait_flag #0*wait_flag #4*wait_flag #2
program aiv {
  wait_flag MTE3 -> V, 0
  set_flag V -> MTE2, 0
  wait_flag V -> MTE2, 0
  set_flag MTE2 -> MTE3, 0
  wait_flag MTE2 -> MTE3, 0
  set_flag MTE3 -> V, 0
}
//--- the-set-stands-behind-the-wait
//! deadlock: waits for flag 0 from V to S, and only what stands behind it could end that (AIV 0, S, wait_flag #0)
program aiv {
  wait_flag V -> S, 0
  set_flag V -> S, 0
}
//--- a-full-queue-before-the-set
//! deadlock: 2 units wait for one another*(AIV 0, *wait_flag #0)
program aiv {
  wait_flag MTE2 -> V, 0
  loop %i = 0 to 40 step 1 {
    vdup UB[0] f32 [64], 0.0
    pipe_barrier V
  }
  set_flag MTE2 -> V, 0
}
//--- a-barrier-behind-a-wait
//! deadlock: 2 units wait for one another*(AIV 0, *#0)
program aiv {
  wait_flag MTE2 -> V, 0
  pipe_barrier all
  set_flag MTE2 -> V, 0
}
//--- one-core-does-not-come
//! deadlock: waits in a sync_all for AIV 0*(AIV 1, S, sync_all #2)
//% grid 2
program aiv {
  %other = cmps.ne.i64 %coreIndex, 0
  if %other {
    sync_all
  }
}
//--- a-cross-core-wait-alone
//! deadlock: waits for cross-core flag 3 of mode all*(AIV 0, MTE2, cross_wait #0)
program aiv {
  cross_wait MTE2, all, 3
}
//--- the-other-of-the-pair-does-not-set
//! deadlock: waits for cross-core flag 1 of mode pair*(AIV 0, MTE2, cross_wait #4)
//% grid 2
program aiv {
  %first = cmps.eq.i64 %coreIndex, 0
  if %first {
    cross_set MTE3, pair, 1
  }
  cross_wait MTE2, pair, 1
}
//--- set-twice
//! k.py:2:1: flag misuse: flag 0 from MTE2 to V*(AIV 0, MTE2, set_flag #1)*k.py:1:1*(AIV 0, MTE2, set_flag #0)
program aiv {
  set_flag MTE2 -> V, 0 @k.py:1:1
  set_flag MTE2 -> V, 0 @k.py:2:1
  wait_flag MTE2 -> V, 0
  wait_flag MTE2 -> V, 0
}
//--- set-again-perhaps-before-the-wait
//! k.py:3:1: flag misuse: flag 0 from MTE2 to V*(AIV 0, MTE2, set_flag #2)*(AIV 0, MTE2, set_flag #0)
program aiv {
  set_flag MTE2 -> V, 0
  wait_flag MTE2 -> V, 0
  set_flag MTE2 -> V, 0 @k.py:3:1
  wait_flag MTE2 -> V, 0
}
//--- left-set
//! k.py:1:1: flag misuse: flag 2 from V to MTE3 is still set at the end (AIV 0, V, set_flag #0)
program aiv {
  set_flag V -> MTE3, 2 @k.py:1:1
}
//--- left-set-by-the-last-iteration
//! flag misuse: flag 0 from V to MTE2 is still set at the end (AIV 0, V, set_flag #5)
program aiv {
  set_flag V -> MTE2, 0
  loop %i = 0 to 3 step 1 {
    wait_flag V -> MTE2, 0
    set_flag MTE2 -> V, 0
    wait_flag MTE2 -> V, 0
    set_flag V -> MTE2, 0
  }
}
//--- an-id-too-large
//! k.py:2:1: flag misuse: flag 8, expected an id from 0 to 7 (AIV 0, MTE2, set_flag #1)
program aiv {
  %id = add.i64 %coreIndex, 8
  set_flag MTE2 -> V, %id @k.py:2:1
}
//--- a-negative-id
//! flag misuse: flag -1, expected an id from 0 to 7 (AIV 0, V, wait_flag #1)
program aiv {
  %id = sub.i64 %coreIndex, 1
  wait_flag MTE2 -> V, %id
}
//--- a-cross-core-id-too-large
//! flag misuse: cross-core flag 16, expected an id from 0 to 15 (AIV 0, MTE3, cross_set #1)
program aiv {
  %id = add.i64 %coreIndex, 16
  cross_set MTE3, all, %id
}
//--- sixteen-sets-without-a-wait
//! flag misuse: more than 15 sets of cross-core flag 0 without a wait (AIV 0, MTE3, cross_set #1)
program aiv {
  loop %i = 0 to 16 step 1 {
    cross_set MTE3, all, 0
  }
}
//--- a-loop-without-an-end
//! k.py:1:1: runaway: still running after 100000*(AIV 0, S, end #3)
//% limit 100000
program aiv {
  %v = const.i64 0
  repeat {
    %v = add.i64 %v, 1
  } @k.py:1:1
}
//--- a-loop-of-far-too-many
//! runaway: still running after 100000*(AIV 0, *
//% limit 100000
program aiv {
  loop %i = 0 to 1000000000 step 1 {
    vdup UB[0] f32 [64], 0.0
    pipe_barrier V
  }
}
//--- a-trap
//! k.py:2:1: trap: the size is odd (AIV 0, S, trap_unless #1)
program aiv {
  %even = cmps.eq.i64 %n, 7
  trap_unless %even, "the size is odd" @k.py:2:1
}
