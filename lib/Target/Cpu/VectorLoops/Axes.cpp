//===- Axes.cpp - which dimensions of which values run together ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Axes.h"

#include <algorithm>

using namespace kiln::cpu;

Axis Axes::make(unsigned owner) {
  parents.push_back(parents.size());
  owners.push_back({owner});
  return parents.size() - 1;
}

Axis Axes::find(Axis axis) const {
  if (axis == kUnit)
    return kUnit;
  while (parents[axis] != axis)
    axis = parents[axis] = parents[parents[axis]];
  return axis;
}

bool Axes::unite(Axis a, Axis b) {
  a = find(a), b = find(b);
  if (a == b)
    return true;
  if (owners[a].size() < owners[b].size())
    std::swap(a, b);
  // The smaller list is looked up in the larger: unions stay cheap in long chains.
  for (unsigned owner : owners[b])
    if (std::binary_search(owners[a].begin(), owners[a].end(), owner))
      return false;
  size_t middle = owners[a].size();
  owners[a].append(owners[b].begin(), owners[b].end());
  // Nodes arrive in growing order, so that the lists are usually in order already.
  if (owners[a][middle - 1] > owners[a][middle])
    std::sort(owners[a].begin(), owners[a].end());
  owners[b].clear();
  parents[b] = a;
  return true;
}
