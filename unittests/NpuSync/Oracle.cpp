//===- Oracle.cpp - what the machine orders, by brute force ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Oracle.h"

#include <array>
#include <map>
#include <tuple>

namespace kiln::test {
namespace {

using machine::Pipe;

/// A graph of moments: each event begins (2 i) and is over (2 i + 1). An edge: not later than.
class Moments {
public:
  explicit Moments(const std::vector<Event> &events) : events(events), edges(2 * events.size()) {}

  static size_t begin(size_t event) { return 2 * event; }
  static size_t end(size_t event) { return 2 * event + 1; }
  void add(size_t from, size_t to) { edges[from].push_back(to); }

  /// Fills `flags` of the verdict with what is wrong about sets and waits.
  void build(Verdict &verdict) {
    std::array<std::vector<size_t>, machine::pipeCount> onPipe;
    std::map<std::tuple<Pipe, Pipe, int64_t>, std::pair<std::vector<size_t>, std::vector<size_t>>>
        uses;
    std::vector<size_t> scalar; // what the scalar unit itself did
    std::optional<size_t> stop; // the last barrier on all pipes
    for (size_t i = 0; i < events.size(); ++i) {
      const Event &event = events[i];
      add(begin(i), end(i));
      if (stop)
        add(end(*stop), begin(i));
      if (!scalar.empty())
        add(end(scalar.back()), begin(i)); // handed over, or next on S
      if (event.kind == Event::Kind::BarrierAll) {
        for (auto &before : onPipe)
          for (size_t other : before)
            add(end(other), begin(i));
        stop = i;
        scalar.push_back(i);
        continue;
      }
      std::vector<size_t> &before = onPipe[size_t(event.pipe)];
      if (!before.empty())
        add(begin(before.back()), begin(i)); // in order, but not one after the other …
      bool holds = event.kind == Event::Kind::Set || event.kind == Event::Kind::Barrier;
      for (size_t other : before) {
        const Event &past = events[other];
        // … unless it waits for what was before, or what was before held the pipe.
        bool held = past.kind == Event::Kind::Wait || past.kind == Event::Kind::Barrier;
        if (holds || held)
          add(end(other), begin(i));
      }
      before.push_back(i);
      if (event.pipe == Pipe::S)
        scalar.push_back(i);
      auto &[sets, waits] = uses[{event.from, event.to, event.id}];
      if (event.kind == Event::Kind::Set)
        sets.push_back(i);
      if (event.kind == Event::Kind::Wait)
        waits.push_back(i);
    }
    for (auto &[key, use] : uses) {
      auto &[sets, waits] = use;
      if (sets.size() != waits.size())
        verdict.flags = std::to_string(sets.size()) + " sets and " + std::to_string(waits.size()) +
                        " waits of a flag";
      for (size_t k = 0; k < std::min(sets.size(), waits.size()); ++k)
        add(end(sets[k]), begin(waits[k]));
      for (size_t k = 0; k + 1 < sets.size() && k < waits.size(); ++k)
        alternations.push_back({waits[k], sets[k + 1]});
    }
  }

  /// For each moment those before it; false if there is a cycle.
  bool close() {
    std::vector<unsigned> incoming(edges.size());
    for (auto &targets : edges)
      for (size_t target : targets)
        ++incoming[target];
    std::vector<size_t> ready;
    for (size_t i = 0; i < edges.size(); ++i)
      if (!incoming[i])
        ready.push_back(i);
    before.assign(edges.size(), llvm::BitVector(unsigned(edges.size())));
    size_t done = 0;
    while (!ready.empty()) {
      size_t moment = ready.back();
      ready.pop_back();
      ++done;
      for (size_t target : edges[moment]) {
        before[target] |= before[moment];
        before[target].set(unsigned(moment));
        if (!--incoming[target])
          ready.push_back(target);
      }
    }
    return done == edges.size();
  }

  bool isOver(size_t first, size_t second) const {
    return before[begin(second)].test(unsigned(end(first)));
  }

  std::vector<std::pair<size_t, size_t>> alternations; ///< a wait that must be over before a set

private:
  const std::vector<Event> &events;
  std::vector<std::vector<size_t>> edges;
  std::vector<llvm::BitVector> before;
};

bool collide(const Event &a, const Event &b) {
  for (const Bytes &x : a.bytes)
    for (const Bytes &y : b.bytes) {
      if (x.space != y.space || (!x.write && !y.write) || x.begin >= y.end || y.begin >= x.end)
        continue;
      // Programs of the grid have no order of global memory among each other.
      bool programs = x.space >= 0 && a.persistentIteration >= 0 && b.persistentIteration >= 0 &&
                      a.persistentIteration != b.persistentIteration;
      if (!programs)
        return true;
    }
  return false;
}

std::string describe(const Event &event) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << *event.op;
  return text;
}

} // namespace

Verdict judge(const std::vector<Event> &events) {
  Verdict verdict;
  Moments moments(events);
  moments.build(verdict);
  if (!moments.close()) {
    verdict.flags = "pipes wait for one another";
    return verdict;
  }
  for (auto [wait, set] : moments.alternations)
    if (!moments.isOver(wait, set))
      verdict.flags = "a flag may be raised again before its wait: " + describe(events[set]);
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != Event::Kind::Instruction)
      continue;
    llvm::BitVector over(unsigned(events.size()));
    for (size_t j = 0; j < i; ++j) {
      if (events[j].kind != Event::Kind::Instruction)
        continue;
      bool ordered = moments.isOver(j, i);
      if (ordered)
        over.set(unsigned(j));
      if (!collide(events[j], events[i]))
        continue;
      ++verdict.conflicts;
      if (!ordered && verdict.conflict.empty())
        verdict.conflict = "not ordered: " + describe(events[j]) + " and " + describe(events[i]);
    }
    verdict.order.push_back(std::move(over));
  }
  return verdict;
}

} // namespace kiln::test
