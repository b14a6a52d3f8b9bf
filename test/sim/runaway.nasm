// A program without an end stops at the limit, with its place and status 1.
//
// RUN: not kiln-sim %s --cycle-limit 10000 2>&1 | FileCheck %s
// CHECK: loop.py:{{[0-9:]+}}: runaway: {{.*}}10000

kernel "forever" chip "ascend910b"
program aiv {
  repeat @loop.py:1:1 {
    %n = add.i64 %coreIndex, 1 @loop.py:2:3
  } @loop.py:1:1
}
