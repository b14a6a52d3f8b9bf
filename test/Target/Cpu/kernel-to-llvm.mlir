// RUN: kiln-opt %s --kiln-cpu-kernel-to-llvm --split-input-file --verify-diagnostics | FileCheck %s

// The body gets the program's coordinates and returns a status; the entry loops over programs.
// CHECK-LABEL: llvm.func internal @kernel
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %{{.*}}: i1, %{{.*}}: !llvm.ptr, %[[X:.*]]: i32, {{.*}}, %{{.*}}: i64, %{{.*}}: !llvm.ptr) -> i32
// CHECK-SAME: always_inline
// CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f16
// CHECK: llvm.mlir.global external constant @kiln_kernel_info()
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.constant(128 : i64)
// CHECK: llvm.func @kiln_kernel(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %[[SCRATCH:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.icmp "ult"
// CHECK: llvm.load {{.*}} -> i8
// CHECK: llvm.trunc {{.*}} : i8 to i1
// CHECK: llvm.call @kernel(%{{.*}}, %{{.*}}, %[[SCRATCH]],
func.func @kernel(%p: !tile.ptr<f16>, %flag: i1, %s: !llvm.ptr {kiln.scratch})
    attributes {tile.kernel, kiln.scratch_bytes = 128 : i64} {
  %x = tile.program_id 0
  %q = tile.addptr %p, %x : !tile.ptr<f16>, i32
  %z = arith.constant 0.0 : f16
  tile.ptr_store %q, %z mask %flag : !tile.ptr<f16>, f16 mask i1
  return
}

// -----

// Pointers into scratch have no slots; each gets its own place in the arena.
// CHECK-LABEL: llvm.func internal @buffers
// CHECK: llvm.mlir.global external constant @kiln_kernel_info()
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.func @kiln_kernel({{.*}}, %[[SCRATCH:.*]]: !llvm.ptr) -> i32
// CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[SCRATCH]][%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: llvm.call @buffers(%{{.*}}, %[[SCRATCH]], %[[SECOND]],
func.func @buffers(%p: !tile.ptr<f32>, %a: !tile.ptr<f32> {kiln.scratch = 0 : i64, tile.private},
                   %b: !tile.ptr<f32> {kiln.scratch = 64 : i64, tile.private})
    attributes {tile.kernel, kiln.scratch_bytes = 128 : i64} {
  %x = tile.ptr_load %p : !tile.ptr<f32> -> f32
  tile.ptr_store %a, %x : !tile.ptr<f32>, f32
  tile.ptr_store %b, %x : !tile.ptr<f32>, f32
  return
}

// -----

// A failed assertion calls the host and returns 1; a print passes bits.
// CHECK: llvm.mlir.global internal constant @kiln_text_{{.*}}("n must be even")
// CHECK-LABEL: llvm.func internal @checks
// CHECK: llvm.cond_br
// CHECK: llvm.mlir.constant(14 : i64)
// CHECK: llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, i64) -> ()
// CHECK: llvm.mlir.constant(1 : i32)
func.func @checks(%n: i32, %x: bf16) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %bit = arith.andi %n, %one : i32
  %zero = arith.constant 0 : i32
  %even = arith.cmpi eq, %bit, %zero : i32
  tile.assert %even, "n must be even" : i1
  tile.print "x" (%x) [true] : bf16
  return
}

// -----

// Pointers travel through control flow and casts.
// CHECK-LABEL: llvm.func internal @pointers
// CHECK: llvm.ptrtoint
// CHECK: llvm.inttoptr
// CHECK: llvm.load volatile
func.func @pointers(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p) -> (!tile.ptr<f32>) : i32 {
    %next = tile.addptr %q, %c1 : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  %address = tile.ptr_to_int %end : !tile.ptr<f32> -> i64
  %again = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
  %bytes = tile.ptr_cast %again : !tile.ptr<f32> -> !tile.ptr<i32>
  %v = tile.ptr_load %bytes {is_volatile} : !tile.ptr<i32> -> i32
  tile.ptr_store %bytes, %v : !tile.ptr<i32>, i32
  return
}

// -----

func.func @first() attributes {tile.kernel} { return }
// expected-error @below {{found a second kernel, expected one in a module}}
func.func @second() attributes {tile.kernel} { return }

// -----

// expected-error @below {{found kernel argument 0 of type 'vector<4xf32>', expected a pointer, an integer or a float}}
func.func @argument(%v: vector<4xf32>) attributes {tile.kernel} { return }
