// Text, bytes, text again, and a run: 3 programs add 2500 numbers on 3 cores.
//
// RUN: kiln-sim --assemble %s -o %t.npo
// RUN: kiln-sim --disassemble %t.npo -o %t.nasm
// RUN: kiln-sim --assemble %t.nasm -o %t2.npo
// RUN: cmp %t.npo %t2.npo
// RUN: FileCheck %s --input-file %t.nasm --check-prefix TEXT
// RUN: kiln-sim %t.npo --arg zeros:f32:2500 --arg zeros:f32:2500 --arg zeros:f32:2500 --arg 2500 \
// RUN:   --grid 3 | FileCheck %s --check-prefix REPORT
// RUN: kiln-sim %s --arg zeros:f32:2500 --arg zeros:f32:2500 --arg zeros:f32:2500 --arg 2500 \
// RUN:   --grid 3 --order random:5 --out 2=%t.npy
// One element more than there are.
// RUN: not kiln-sim %t.npo --arg zeros:f32:2500 --arg zeros:f32:2500 --arg zeros:f32:2500 \
// RUN:   --arg 2501 --grid 3 2>&1 | FileCheck %s --check-prefix BOUNDS

// TEXT: kernel "vadd"
// TEXT: param %c : *f32 written
// TEXT: location "vadd.py" 6 9
// TEXT: program aiv registers 20 {
// TEXT:   loop %12 = %coreIndex to %11 step %coreCount persistent @vadd.py:3:1 {
// TEXT:     vadd UB[8192] f32 [%15], UB[0] f32 [%15], UB[4096] f32 [%15] @vadd.py:6:9

// REPORT: vadd
// REPORT: kernel {{.*}} cycles
// BOUNDS: vadd.py:4:9: {{.*}}bounds

kernel "vadd" chip "ascend910b"
param %a : *f32  param %b : *f32  param %c : *f32 written  param %n : i32

program aiv {
  %block = const.i64 1024
  %more = add.i64 %n, 1023
  %count = divs.i64 %more, %block
  loop %i = %coreIndex to %count step %coreCount persistent @vadd.py:3:1 {
    %first = mul.i64 %i, %block
    %left = sub.i64 %n, %first
    %size = mins.i64 %left, %block
    %bytes = mul.i64 %first, 4
    %pa = add.i64 %a, %bytes
    %pb = add.i64 %b, %bytes
    %pc = add.i64 %c, %bytes
    load UB[0] f32 [%size] <- GM[%pa] f32 [%size] @vadd.py:4:9
    load UB[4096] f32 [%size] <- GM[%pb] f32 [%size] @vadd.py:5:9
    set_flag MTE2 -> V, 0
    wait_flag MTE2 -> V, 0
    vadd UB[8192] f32 [%size], UB[0] f32 [%size], UB[4096] f32 [%size] @vadd.py:6:9
    set_flag V -> MTE3, 0
    wait_flag V -> MTE3, 0
    store GM[%pc] f32 [%size] <- UB[8192] f32 [%size] @vadd.py:7:5
    pipe_barrier all
  }
}
