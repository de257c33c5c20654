// A matrix as addressed by TMA.
#pragma once

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// A row-major matrix in device memory, 16-byte aligned.
struct MatrixView {
  const void* pointer;
  i64 rows, columns;
  ElementType dtype;
  i64 row_stride = 0;  // elements between rows, a multiple of 16 bytes; contiguous if 0
  bool fetches_pairs_of_lines = false;  // L2 fetches 256 bytes for a load of 128
  // Number of matrices in a batch, the third dimension of the map. 0: there is no batch, and the
  // map has two dimensions.
  i64 matrices = 0;
  i64 matrix_stride = 0;  // elements between matrices, a multiple of 16 bytes
  // A ragged map can show any run of rows, and a box reads zeros after the run's end. It has four
  // dimensions (column, y, z, w); y and z step by one row, w by 2^34 bytes less one row. With R =
  // most_ragged_rows() = 2^30, row i of `count` rows that end at row `end` has y = R - count + i, z
  // = end, w = R: y + z - R = end - count + i, because R * 2^34 bytes wrap to 0. y >= R is out of
  // bounds.
  bool ragged_rows = false;
};

}  // namespace tilecast
