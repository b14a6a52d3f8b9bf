// RUN: kiln-opt %s -kiln-report-memory-order -verify-diagnostics -o /dev/null

// Two arguments: disjoint if and only if their alias sets differ.
func.func @alias_sets(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                      %y: !tile.ptr<f32> {tile.alias_set = 1 : i64},
                      %z: !tile.ptr<f32> {tile.alias_set = 0 : i64}, %unknown: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %vx = tile.view %x[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %vy = tile.view %y[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %vz = tile.view %z[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %vu = tile.view %unknown[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %t = tile.load %vx : !tile.view<100xf32> -> tensor<100xf32>
  // expected-remark @below {{access 1 and access 0: disjoint, may reorder}}
  tile.store %t, %vy : tensor<100xf32>, !tile.view<100xf32>
  // expected-remark @below {{access 2 and access 0: unknown, must stage}}
  // expected-remark @below {{access 2 and access 1: disjoint, may reorder}}
  tile.store %t, %vz : tensor<100xf32>, !tile.view<100xf32>
  // expected-remark @below {{access 3 and access 1: unknown, must stage}}
  // expected-remark @below {{access 3 and access 2: unknown, must stage}}
  %u = tile.load %vu : !tile.view<100xf32> -> tensor<100xf32>
  return
}

// In place: lane by lane, reversed, shifted by one, and one element repeated.
func.func @in_place(%x: !tile.ptr<f32>, %o: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : index
  %o1 = arith.addi %o, %c1 : index
  %o99 = arith.addi %o, %c99 : index
  %v = tile.view %x[%o] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %reversed = tile.view %x[%o99] strides [-1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %shifted = tile.view %x[%o1] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %repeated = tile.view %x[%o] strides [0] : !tile.ptr<f32> -> !tile.view<100xf32>
  scf.execute_region {
    %t = tile.load %v : !tile.view<100xf32> -> tensor<100xf32>
    // expected-remark @below {{access 1 and access 0: same lanes, may interleave}}
    tile.store %t, %v : tensor<100xf32>, !tile.view<100xf32>
    scf.yield
  }
  scf.execute_region {
    %t = tile.load %reversed : !tile.view<100xf32> -> tensor<100xf32>
    // expected-remark @below {{access 1 and access 0: unknown, must stage}}
    tile.store %t, %v : tensor<100xf32>, !tile.view<100xf32>
    scf.yield
  }
  scf.execute_region {
    %t = tile.load %shifted : !tile.view<100xf32> -> tensor<100xf32>
    // expected-remark @below {{access 1 and access 0: unknown, must stage}}
    tile.store %t, %v : tensor<100xf32>, !tile.view<100xf32>
    scf.yield
  }
  scf.execute_region {
    %t = tile.load %repeated : !tile.view<100xf32> -> tensor<100xf32>
    // expected-remark @below {{access 1 and access 0: unknown, must stage}}
    tile.store %t, %repeated : tensor<100xf32>, !tile.view<100xf32>
    scf.yield
  }
  return
}

// Neighbouring blocks, halves told apart by a bound, even and odd elements.
func.func @pieces(%x: !tile.ptr<f32>, %o: index, %half: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %next = arith.addi %o, %c100 : index
  %mid = arith.addi %o, %half : index
  %odd = arith.addi %o, %c1 : index
  %v = tile.view %x[%o] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %vnext = tile.view %x[%next] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %vmid = tile.view %x[%mid] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %veven = tile.view %x[%o] strides [2] : !tile.ptr<f32> -> !tile.view<100xf32>
  %vodd = tile.view %x[%odd] strides [2] : !tile.ptr<f32> -> !tile.view<100xf32>
  scf.execute_region {
    %t = tile.load %vnext : !tile.view<100xf32> -> tensor<100xf32>
    // expected-remark @below {{access 1 and access 0: disjoint, may reorder}}
    tile.store %t, %v : tensor<100xf32>, !tile.view<100xf32>
    scf.yield
  }
  scf.execute_region {
    %t = tile.load %vmid valid [%c0] to [%half] : !tile.view<100xf32> -> tensor<100xf32>
    // expected-remark @below {{access 1 and access 0: disjoint, may reorder}}
    tile.store %t, %v valid [%c0] to [%half] : tensor<100xf32>, !tile.view<100xf32>
    scf.yield
  }
  scf.execute_region {
    %t = tile.load %vmid : !tile.view<100xf32> -> tensor<100xf32>
    // expected-remark @below {{access 1 and access 0: unknown, must stage}}
    tile.store %t, %v : tensor<100xf32>, !tile.view<100xf32>
    scf.yield
  }
  scf.execute_region {
    %t = tile.load %veven : !tile.view<100xf32> -> tensor<100xf32>
    // expected-remark @below {{access 1 and access 0: disjoint, may reorder}}
    tile.store %t, %vodd : tensor<100xf32>, !tile.view<100xf32>
    scf.yield
  }
  return
}

// Rows of a matrix whose row length is a scalar: apart from each other only where a bound keeps columns below it.
func.func @rows(%x: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %v = tile.view %x[%c0] strides [%n, 1] : !tile.ptr<f32> -> !tile.view<3x100xf32>
  scf.execute_region {
    %t = tile.load %v valid [%c0, %c0] to [%c3, %n] : !tile.view<3x100xf32> -> tensor<3x100xf32>
    // expected-remark @below {{access 1 and access 0: same lanes, may interleave}}
    tile.store %t, %v valid [%c0, %c0] to [%c3, %n] : tensor<3x100xf32>, !tile.view<3x100xf32>
    scf.yield
  }
  scf.execute_region {
    %t = tile.load %v : !tile.view<3x100xf32> -> tensor<3x100xf32>
    // expected-remark @below {{access 1 and access 0: unknown, must stage}}
    tile.store %t, %v : tensor<3x100xf32>, !tile.view<3x100xf32>
    scf.yield
  }
  return
}

// Scalars and gathers.
func.func @others(%x: !tile.ptr<f32>, %i: i32, %f: f32, %o: tensor<100xi32>) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : i32
  %v = tile.view %x[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %p = tile.addptr %x, %c100 : !tile.ptr<f32>, i32
  %q = tile.addptr %x, %i : !tile.ptr<f32>, i32
  %t = tile.load %v : !tile.view<100xf32> -> tensor<100xf32>
  // expected-remark @below {{access 1 and access 0: disjoint, may reorder}}
  tile.ptr_store %p, %f : !tile.ptr<f32>, f32
  // expected-remark @below {{access 2 and access 0: unknown, must stage}}
  // expected-remark @below {{access 2 and access 1: unknown, must stage}}
  tile.ptr_store %q, %f : !tile.ptr<f32>, f32
  // expected-remark @below {{access 3 and access 1: unknown, must stage}}
  // expected-remark @below {{access 3 and access 2: unknown, must stage}}
  %g = tile.gather %x[%o] : !tile.ptr<f32>[tensor<100xi32>] -> tensor<100xf32>
  return
}

// Private memory is reached through its argument only, whatever else is known of the others.
func.func @private(%x: !tile.ptr<f32> {tile.private}, %y: !tile.ptr<f32> {tile.private},
                   %unknown: !tile.ptr<f32>, %address: i64) {
  %c0 = arith.constant 0 : index
  %made = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
  %vx = tile.view %x[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %vy = tile.view %y[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %vu = tile.view %unknown[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %vm = tile.view %made[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<100xf32>
  %t = tile.load %vx : !tile.view<100xf32> -> tensor<100xf32>
  // expected-remark @below {{access 1 and access 0: disjoint, may reorder}}
  tile.store %t, %vy : tensor<100xf32>, !tile.view<100xf32>
  // expected-remark @below {{access 2 and access 0: disjoint, may reorder}}
  // expected-remark @below {{access 2 and access 1: disjoint, may reorder}}
  tile.store %t, %vu : tensor<100xf32>, !tile.view<100xf32>
  // expected-remark @below {{access 3 and access 0: disjoint, may reorder}}
  // expected-remark @below {{access 3 and access 1: disjoint, may reorder}}
  // expected-remark @below {{access 3 and access 2: unknown, must stage}}
  tile.store %t, %vm : tensor<100xf32>, !tile.view<100xf32>
  return
}

// Parts of one matrix of 16 columns: the left half and the right half, overlapping columns, tiles
// one below the other, every other row, and rows of which one number is not known.
func.func @parts(%x: !tile.ptr<f32> {tile.private}, %i: index, %j: index) {
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %row = arith.muli %i, %c16 : index
  %other = arith.muli %j, %c16 : index
  %half = arith.addi %row, %c8 : index
  %most = arith.addi %row, %c7 : index
  %next = arith.addi %half, %c8 : index
  %left = tile.view %x[%row] strides [16, 1] : !tile.ptr<f32> -> !tile.view<4x8xf32>
  %right = tile.view %x[%half] strides [16, 1] : !tile.ptr<f32> -> !tile.view<4x8xf32>
  %shared = tile.view %x[%most] strides [16, 1] : !tile.ptr<f32> -> !tile.view<4x8xf32>
  %evens = tile.view %x[%row] strides [32, 1] : !tile.ptr<f32> -> !tile.view<4x16xf32>
  %odds = tile.view %x[%next] strides [32, 1] : !tile.ptr<f32> -> !tile.view<4x16xf32>
  %unknown = tile.view %x[%other] strides [16, 1] : !tile.ptr<f32> -> !tile.view<4x8xf32>
  scf.execute_region {
    %t = tile.load %left : !tile.view<4x8xf32> -> tensor<4x8xf32>
    // expected-remark @below {{access 1 and access 0: disjoint, may reorder}}
    tile.store %t, %right : tensor<4x8xf32>, !tile.view<4x8xf32>
    // expected-remark @below {{access 2 and access 0: unknown, must stage}}
    // expected-remark @below {{access 2 and access 1: unknown, must stage}}
    tile.store %t, %shared : tensor<4x8xf32>, !tile.view<4x8xf32>
    scf.yield
  }
  scf.execute_region {
    %t = tile.load %evens : !tile.view<4x16xf32> -> tensor<4x16xf32>
    // expected-remark @below {{access 1 and access 0: disjoint, may reorder}}
    tile.store %t, %odds : tensor<4x16xf32>, !tile.view<4x16xf32>
    scf.yield
  }
  scf.execute_region {
    %t = tile.load %left : !tile.view<4x8xf32> -> tensor<4x8xf32>
    // expected-remark @below {{access 1 and access 0: same lanes, may interleave}}
    tile.store %t, %left : tensor<4x8xf32>, !tile.view<4x8xf32>
    // expected-remark @below {{access 2 and access 0: unknown, must stage}}
    // expected-remark @below {{access 2 and access 1: unknown, must stage}}
    tile.store %t, %unknown : tensor<4x8xf32>, !tile.view<4x8xf32>
    scf.yield
  }
  return
}
