//===- Branches.cpp - two ways that meet again -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A condition that is known at run time only makes both branches visited, each in a block of its
// own; then the names that either of them assigned, and the results of returns, are joined. A
// joined value is a tree: what both sides agree on at compile time stays what it is, tuples are
// joined by element, runtime values become results of the `scf.if`.
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/Sema.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::frontend;

namespace kiln::frontend {

class BranchJoin {
public:
  /// One branch after it was visited.
  struct Side {
    mlir::Region region;
    Completion completion;
    std::vector<Binding> names;
  };

  /// What a joined value consists of.
  struct Plan {
    Value known; ///< where `leaf` is absent and there are no children
    std::optional<size_t> leaf;
    Type type;
    std::optional<std::vector<Plan>> children;
    const TupleData *shape = nullptr;
  };

  BranchJoin(Sema &sema, const ast::Node &node, Side &thenSide, Side &elseSide)
      : sema(sema), node(node), sides{&thenSide, &elseSide} {}

  /// Joins the sides' values; a null side never gets here. Absent if they do not go together:
  /// `conflict` then shows the parts that differ.
  std::optional<Plan> join(const Value *a, const Value *b) {
    Plan plan;
    if ((a && a->hasPoison()) || (b && b->hasPoison()))
      return plan;
    const Value &present = a ? *a : *b;
    if (!a || !b ? present.isConstant() : isSameValue(*a, *b)) {
      plan.known = present;
      return plan;
    }
    if (present.isTuple())
      return joinTuples(a, b);
    return joinLeaves(a, b);
  }

  /// Forgets the leaves added since there were `count`.
  size_t leafCount() const { return leaves[0].size(); }
  void dropLeaves(size_t count) {
    for (auto &side : leaves)
      side.resize(count);
  }

  size_t addFlag(bool a, bool b, mlir::Value flagA, mlir::Value flagB) {
    leaves[0].push_back(flagA ? flagA : constantIn(0, a));
    leaves[1].push_back(flagB ? flagB : constantIn(1, b));
    return leafCount() - 1;
  }

  mlir::scf::IfOp create(mlir::Value condition) {
    mlir::Location loc = sema.loc(node);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value leaf : leaves[0])
      types.push_back(leaf.getType());
    for (int side : {0, 1}) {
      mlir::OpBuilder::InsertionGuard guard(sema.builder);
      sema.builder.setInsertionPointToEnd(&sides[side]->region.front());
      mlir::scf::YieldOp::create(sema.builder, loc, leaves[side]);
    }
    auto op = mlir::scf::IfOp::create(sema.builder, loc, types, condition, /*addThenBlock=*/false,
                                      /*addElseBlock=*/false);
    op.getThenRegion().takeBody(sides[0]->region);
    bool hasElse = !types.empty() || sides[1]->region.front().getOperations().size() > 1;
    if (hasElse)
      op.getElseRegion().takeBody(sides[1]->region);
    results = op.getResults();
    return op;
  }

  Value realize(const Plan &plan) const {
    if (plan.leaf)
      return Value::runtime(results[*plan.leaf], plan.type);
    if (!plan.children)
      return plan.known;
    std::vector<Value> elements;
    for (const Plan &child : *plan.children)
      elements.push_back(realize(child));
    return Value::tuple(std::move(elements), plan.shape->names, plan.shape->isList);
  }

  std::string conflict;

private:
  mlir::Value constantIn(int side, bool value) {
    mlir::OpBuilder::InsertionGuard guard(sema.builder);
    sema.builder.setInsertionPointToEnd(&sides[side]->region.front());
    return sema.constant(sema.loc(node), DType::I1, Integer(value));
  }

  std::optional<Plan> differ(const Value &a, const Value &b) {
    conflict = typeName(a) + " in one branch and " + typeName(b) + " in the other";
    return std::nullopt;
  }

  std::optional<Plan> joinTuples(const Value *a, const Value *b) {
    const TupleData *shape = (a ? a : b)->asTuple();
    if (a && b) {
      bool fits = b->isTuple() && a->elements().size() == b->elements().size() &&
                  a->asTuple()->names == b->asTuple()->names;
      if (!fits)
        return differ(*a, *b);
    }
    Plan plan;
    plan.shape = shape;
    plan.children.emplace();
    for (size_t i = 0; i < shape->elements.size(); ++i) {
      std::optional<Plan> child =
          join(a ? &a->elements()[i] : nullptr, b ? &b->elements()[i] : nullptr);
      if (!child)
        return std::nullopt;
      plan.children->push_back(std::move(*child));
    }
    return plan;
  }

  std::optional<Plan> joinLeaves(const Value *a, const Value *b) {
    const Value *values[] = {a, b};
    mlir::Value leaf[2];
    std::optional<Type> type;
    bool isAnyBlock = llvm::any_of(values, [](const Value *value) {
      return value && value->isRuntime() && value->type().isBlock();
    });
    for (int side : {0, 1}) {
      if (!values[side])
        continue;
      Value runtime = *values[side];
      if (!runtime.isRuntime() && !runtime.isNumber())
        return differ(a ? *a : *b, b ? *b : *a);
      mlir::OpBuilder::InsertionGuard guard(sema.builder);
      sema.builder.setInsertionPointToEnd(&sides[side]->region.front());
      if (!runtime.isRuntime())
        runtime = sema.materialize(node, runtime);
      if (isAnyBlock)
        runtime = sema.spread(node, runtime);
      if (runtime.isPoison())
        return Plan();
      if (type && *type != runtime.type())
        return differ(*a, *b);
      type = runtime.type();
      leaf[side] = runtime.ir();
    }
    for (int side : {0, 1}) {
      if (leaf[side])
        continue;
      mlir::OpBuilder::InsertionGuard guard(sema.builder);
      sema.builder.setInsertionPointToEnd(&sides[side]->region.front());
      leaf[side] = sema.filler(sema.loc(node), *type);
    }
    leaves[0].push_back(leaf[0]);
    leaves[1].push_back(leaf[1]);
    Plan plan;
    plan.leaf = leafCount() - 1;
    plan.type = *type;
    return plan;
  }

  Sema &sema;
  const ast::Node &node;
  Side *sides[2];
  llvm::SmallVector<mlir::Value> leaves[2];
  llvm::SmallVector<mlir::Value> results;
};

} // namespace kiln::frontend

using Side = BranchJoin::Side;
using Plan = BranchJoin::Plan;

static bool hasValue(const Completion &completion) {
  return completion.kind == Completion::Returns || completion.kind == Completion::May;
}

Completion Sema::runBranches(const ast::Node &node, mlir::Value condition,
                             const ast::NameSet &assigned, const ast::NameSet &live,
                             Branch thenBranch, Branch elseBranch) {
  llvm::SaveAndRestore<unsigned> scope(branchDepth, branchDepth + 1);
  if (branchDepth > kMaxBranchDepth) {
    error(node, "branches nest deeper than " + llvm::Twine(kMaxBranchDepth) +
                    " levels; each early return counts as one");
    isTooDeep = true;
    return Completion::stops();
  }
  llvm::SmallVector<ast::NameId> ids(assigned.set_bits_begin(), assigned.set_bits_end());
  std::vector<Binding> before;
  for (ast::NameId id : ids)
    before.push_back(frame->names[id]);

  Side sides[2];
  for (int index : {0, 1}) {
    Side &side = sides[index];
    mlir::OpBuilder::InsertionGuard guard(builder);
    openBranches.push_back({&side.region, builder.getInsertionBlock()});
    builder.setInsertionPointToEnd(&side.region.emplaceBlock());
    side.completion = index == 0 ? thenBranch() : elseBranch();
    if (side.completion.kind == Completion::Returns && side.completion.place)
      side.completion.value = read(*side.completion.place, side.completion.value);
    openBranches.pop_back();
    for (auto [id, binding] : llvm::zip(ids, before)) {
      side.names.push_back(frame->names[id]);
      frame->names[id] = binding;
    }
  }
  const Completion &a = sides[0].completion, &b = sides[1].completion;
  if (a.kind == Completion::Stops || b.kind == Completion::Stops)
    return Completion::stops();

  BranchJoin join(*this, node, sides[0], sides[1]);
  // The branches of a ternary hand out their value as returns do, but control goes on after them.
  bool isTernary = llvm::isa<ast::Expr>(&node);
  bool getsHere[] = {isTernary || a.kind != Completion::Returns,
                     isTernary || b.kind != Completion::Returns};
  std::vector<std::pair<ast::NameId, Plan>> joined;
  for (auto [index, id] : llvm::enumerate(ids)) {
    const Binding &x = sides[0].names[index], &y = sides[1].names[index];
    if (!getsHere[0] && !getsHere[1])
      break;
    const Binding &shown = !getsHere[0] ? y : x;
    if (getsHere[0] && getsHere[1] && x.state != y.state) {
      const Binding &bound = x.state == Binding::Unbound ? y : x;
      frame->names[id] = {Binding::Maybe, {}, bound.place};
      continue;
    }
    if (shown.state != Binding::Bound) {
      frame->names[id] = shown;
      continue;
    }
    size_t leaves = join.leafCount();
    std::optional<Plan> plan =
        join.join(getsHere[0] ? &x.value : nullptr, getsHere[1] ? &y.value : nullptr);
    bool wasBound = before[index].state == Binding::Bound;
    if (!plan && (live.test(id) || wasBound)) {
      const Binding &later = x.place == before[index].place ? y : x;
      Diagnostic &diagnostic =
          reportError(*later.place, "'" + frame->function->names[id] + "' is " + join.conflict +
                                        "; a name keeps its type where branches meet");
      diagnostic.note("the other value comes from here", place(*(&later == &x ? y : x).place));
      plan = Plan();
    }
    if (!plan || (!live.test(id) && join.leafCount() != leaves)) {
      join.dropLeaves(leaves);
      frame->names[id] = {Binding::Maybe, {}, shown.place};
      continue;
    }
    frame->names[id].place = shown.place;
    joined.push_back({id, std::move(*plan)});
  }

  Completion result;
  std::optional<Plan> returned;
  std::optional<size_t> flag;
  if (hasValue(a) || hasValue(b)) {
    returned = join.join(hasValue(a) ? &a.value : nullptr, hasValue(b) ? &b.value : nullptr);
    if (!returned) {
      // A branch that ends without a `return` has no place for the None that it gives.
      const ast::Node *here = b.place ? b.place : a.place;
      Diagnostic &diagnostic =
          reportError(here ? *here : node,
                      (isTernary ? "the value is " : "the function returns ") + join.conflict);
      if (a.place && here != a.place)
        diagnostic.note("the other value comes from here", place(*a.place));
      returned = Plan();
    }
    result.place = hasValue(a) ? a.place : b.place;
    bool always = a.kind == Completion::Returns && b.kind == Completion::Returns;
    result.kind = always ? Completion::Returns : Completion::May;
    if (!always)
      flag = join.addFlag(a.kind == Completion::Returns, b.kind == Completion::Returns, a.flag,
                          b.flag);
  }

  mlir::scf::IfOp op = join.create(condition);
  for (auto &[id, plan] : joined)
    frame->names[id] = {Binding::Bound, join.realize(plan), frame->names[id].place};
  if (returned)
    result.value = join.realize(*returned);
  if (flag)
    result.flag = op.getResult(*flag);
  return result;
}
