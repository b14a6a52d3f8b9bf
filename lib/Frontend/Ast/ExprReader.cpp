//===- ExprReader.cpp - expressions from JSON --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/CaptureReader.h"
#include "lib/Frontend/Ast/HostValue.h"
#include "lib/Frontend/Ast/NodeReader.h"

#include "kiln/Frontend/CallContext.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kiln::frontend;
using namespace kiln::frontend::ast;

NameId Function::nameId(llvm::StringRef name) {
  auto [entry, isNew] = nameIds.try_emplace(name, names.size());
  if (isNew)
    names.push_back(name.str());
  return entry->second;
}

void NodeReader::place(Node &node, const Object &json) {
  auto number = [&](llvm::StringRef field) -> unsigned {
    int64_t value = json.getInteger(field).value_or(0);
    return value < 0 || value > (1 << 30) ? 0 : value;
  };
  node.line = number("l");
  node.column = number("c") + 1;
  node.endLine = number("el");
  node.endColumn = number("ec") + 1;
}

void NodeReader::fail(const Object &json, const llvm::Twine &message) {
  if (!failed())
    error = (llvm::Twine("line ") + llvm::Twine(json.getInteger("l").value_or(0)) + ": " + message)
                .str();
}

llvm::StringRef NodeReader::string(const Object &json, llvm::StringRef field) {
  std::optional<llvm::StringRef> text = json.getString(field);
  if (!text)
    fail(json, "'" + json.getString("k").value_or("a node") + "' has no text in '" + field + "'");
  return text.value_or("");
}

NameId NodeReader::name(const Object &json, llvm::StringRef field) {
  return function.nameId(string(json, field));
}

const llvm::json::Object *NodeReader::object(const Object &parent, llvm::StringRef field) {
  const Object *child = parent.getObject(field);
  if (!child)
    fail(parent,
         "'" + parent.getString("k").value_or("a node") + "' has no node in '" + field + "'");
  return child;
}

const Expr *NodeReader::placeholder(const Object &json) {
  auto *node = make<ConstantExpr>(json);
  node->value = Value::none();
  return node;
}

const Expr *NodeReader::expr(const Object &parent, llvm::StringRef field) {
  const Object *child = object(parent, field);
  return child ? readExpr(*child) : placeholder(parent);
}

const Expr *NodeReader::optionalExpr(const Object &parent, llvm::StringRef field) {
  const llvm::json::Value *child = parent.get(field);
  if (!child || child->kind() == llvm::json::Value::Null)
    return nullptr;
  return expr(parent, field);
}

ExprList NodeReader::exprs(const Object &parent, llvm::StringRef field) {
  ExprList result;
  const llvm::json::Array *array = parent.getArray(field);
  if (!array) {
    fail(parent,
         "'" + parent.getString("k").value_or("a node") + "' has no list in '" + field + "'");
    return result;
  }
  for (const llvm::json::Value &element : *array) {
    const Object *json = element.getAsObject();
    if (!json) {
      fail(parent, "'" + field + "' holds something that is no node");
      break;
    }
    result.push_back(readExpr(*json));
  }
  return result;
}

BinaryOperator NodeReader::binaryOperator(const Object &json) {
  auto op = llvm::StringSwitch<std::optional<BinaryOperator>>(string(json, "op"))
                .Case("Add", BinaryOperator::Add)
                .Case("Sub", BinaryOperator::Sub)
                .Case("Mult", BinaryOperator::Mul)
                .Case("Div", BinaryOperator::Div)
                .Case("FloorDiv", BinaryOperator::FloorDiv)
                .Case("Mod", BinaryOperator::Mod)
                .Case("Pow", BinaryOperator::Pow)
                .Case("MatMult", BinaryOperator::MatMul)
                .Case("BitAnd", BinaryOperator::And)
                .Case("BitOr", BinaryOperator::Or)
                .Case("BitXor", BinaryOperator::Xor)
                .Case("LShift", BinaryOperator::Shl)
                .Case("RShift", BinaryOperator::Shr)
                .Default(std::nullopt);
  if (!op)
    fail(json, "unknown operator '" + string(json, "op") + "'");
  return op.value_or(BinaryOperator::Add);
}

UnaryOperator NodeReader::unaryOperator(const Object &json) {
  auto op = llvm::StringSwitch<std::optional<UnaryOperator>>(string(json, "op"))
                .Case("UAdd", UnaryOperator::Plus)
                .Case("USub", UnaryOperator::Minus)
                .Case("Invert", UnaryOperator::Invert)
                .Case("Not", UnaryOperator::Not)
                .Default(std::nullopt);
  if (!op)
    fail(json, "unknown operator '" + string(json, "op") + "'");
  return op.value_or(UnaryOperator::Plus);
}

const Expr *NodeReader::readExpr(const Object &json) {
  llvm::SaveAndRestore<unsigned> scope(depth, depth + 1);
  if (depth > kMaxDepth)
    fail(json, "nested deeper than " + llvm::Twine(kMaxDepth) + " levels");
  if (failed())
    return placeholder(json);
  return readExprOfKind(string(json, "k"), json);
}

const Expr *NodeReader::readExprOfKind(llvm::StringRef kind, const Object &json) {
  if (kind == "Name") {
    auto *node = make<NameExpr>(json);
    node->id = name(json, "id");
    ++function.mentions[string(json, "id")];
    return node;
  }
  if (kind == "Dict") {
    const llvm::json::Array *keys = json.getArray("keys");
    if (keys && llvm::is_contained(*keys, llvm::json::Value(nullptr)))
      return unsupportedExpr(json, "'**' in a dictionary");
    auto *node = make<DictExpr>(json);
    node->keys = exprs(json, "keys");
    node->values = exprs(json, "values");
    if (node->keys.size() != node->values.size())
      fail(json, "a dictionary has as many keys as values");
    return node;
  }
  if (kind == "Constant") {
    auto *node = make<ConstantExpr>(json);
    const llvm::json::Value *value = json.get("value");
    std::string reason = "no value";
    std::optional<Value> read;
    if (value) {
      reason.clear();
      read = readValue(*value, nullptr, reason);
    }
    if (!read)
      fail(json, "in a constant: " + reason);
    node->value = read.value_or(Value::none());
    return node;
  }
  if (kind == "BinOp") {
    auto *node = make<BinaryExpr>(json);
    node->op = binaryOperator(json);
    node->lhs = expr(json, "left");
    node->rhs = expr(json, "right");
    return node;
  }
  if (kind == "UnaryOp") {
    auto *node = make<UnaryExpr>(json);
    node->op = unaryOperator(json);
    node->operand = expr(json, "operand");
    return node;
  }
  if (kind == "Attribute") {
    auto *node = make<AttributeExpr>(json);
    node->object = expr(json, "value");
    node->name = string(json, "attr").str();
    ++function.mentions[node->name];
    return node;
  }
  if (kind == "Call")
    return readCall(json);
  if (kind == "Subscript") {
    auto *node = make<SubscriptExpr>(json);
    node->object = expr(json, "value");
    node->index = expr(json, "slice");
    return node;
  }
  if (kind == "Slice") {
    auto *node = make<SliceExpr>(json);
    node->lower = optionalExpr(json, "lower");
    node->upper = optionalExpr(json, "upper");
    node->step = optionalExpr(json, "step");
    return node;
  }
  if (kind == "Tuple" || kind == "List") {
    auto *node = make<SequenceExpr>(json);
    node->isList = kind == "List";
    node->elements = exprs(json, "elts");
    return node;
  }
  if (kind == "Compare")
    return readCompare(json);
  if (kind == "BoolOp") {
    auto *node = make<BoolExpr>(json);
    node->isAnd = string(json, "op") == "And";
    node->operands = exprs(json, "values");
    if (node->operands.empty())
      fail(json, "'BoolOp' has no operands");
    return node;
  }
  if (kind == "IfExp") {
    auto *node = make<IfExpr>(json);
    node->condition = expr(json, "test");
    node->thenValue = expr(json, "body");
    node->elseValue = expr(json, "orelse");
    return node;
  }
  if (kind == "NamedExpr") {
    auto *node = make<NamedExpr>(json);
    const Object *target = object(json, "target");
    node->target = target ? name(*target, "id") : 0;
    node->value = expr(json, "value");
    return node;
  }
  if (kind == "Starred") {
    auto *node = make<StarredExpr>(json);
    node->value = expr(json, "value");
    return node;
  }
  if (kind == "Lambda")
    return readLambda(json);
  if (kind == "JoinedStr")
    return readFormatted(json);
  if (kind == "ListComp")
    return readListComp(json);

  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> refused[] = {
      {"Set", "a set"},
      {"DictComp", "a dictionary"},
      {"SetComp", "a set"},
      {"Await", "'await'"},
      {"GeneratorExp", "a generator expression"},
      {"Yield", "'yield'"},
      {"YieldFrom", "'yield'"},
      {"TemplateStr", "a template string"},
  };
  for (auto &[name, what] : refused)
    if (kind == name)
      return unsupportedExpr(json, what);
  fail(json, "unknown expression '" + kind + "'");
  return placeholder(json);
}

const Expr *NodeReader::unsupportedExpr(const Object &json, llvm::StringRef what) {
  auto *node = make<UnsupportedExpr>(json);
  node->what = what.str();
  return node;
}

const Expr *NodeReader::readCall(const Object &json) {
  auto *node = make<CallExpr>(json);
  node->callee = expr(json, "func");
  node->arguments = exprs(json, "args");
  const llvm::json::Array *keywords = json.getArray("keywords");
  if (!keywords)
    fail(json, "'Call' has no list in 'keywords'");
  else
    for (const llvm::json::Value &element : *keywords) {
      const Object *keyword = element.getAsObject();
      if (!keyword) {
        fail(json, "'keywords' holds something that is no node");
        break;
      }
      node->keywords.push_back(
          {keyword->getString("arg").value_or("").str(), expr(*keyword, "value")});
    }
  return node;
}

const Expr *NodeReader::readCompare(const Object &json) {
  auto *node = make<CompareExpr>(json);
  node->first = expr(json, "left");
  node->rest = exprs(json, "comparators");
  if (const llvm::json::Array *ops = json.getArray("ops"))
    for (const llvm::json::Value &element : *ops) {
      auto op = llvm::StringSwitch<std::optional<Comparison>>(element.getAsString().value_or(""))
                    .Case("Eq", Comparison::Eq)
                    .Case("NotEq", Comparison::Ne)
                    .Case("Lt", Comparison::Lt)
                    .Case("LtE", Comparison::Le)
                    .Case("Gt", Comparison::Gt)
                    .Case("GtE", Comparison::Ge)
                    .Case("Is", Comparison::Is)
                    .Case("IsNot", Comparison::IsNot)
                    .Case("In", Comparison::In)
                    .Case("NotIn", Comparison::NotIn)
                    .Default(std::nullopt);
      if (!op)
        fail(json, "unknown comparison");
      node->ops.push_back(op.value_or(Comparison::Eq));
    }
  if (node->ops.size() != node->rest.size() || node->ops.empty())
    fail(json, "'Compare' has as many operators as operands after the first, at least one");
  return node;
}

const Expr *NodeReader::readLambda(const Object &json) {
  const Object *arguments = object(json, "args");
  if (!arguments)
    return placeholder(json);
  for (llvm::StringRef field : {"kwonlyargs", "posonlyargs"})
    if (const llvm::json::Array *list = arguments->getArray(field); list && !list->empty())
      return unsupportedExpr(json, "a lambda with '/' or '*' among its parameters");
  if (arguments->getObject("vararg") || arguments->getObject("kwarg"))
    return unsupportedExpr(json, "a lambda with '*' parameters");

  auto *node = make<LambdaExpr>(json);
  if (const llvm::json::Array *list = arguments->getArray("args"))
    for (const llvm::json::Value &element : *list)
      if (const Object *parameter = element.getAsObject())
        node->parameters.push_back(name(*parameter, "arg"));
  if (arguments->getArray("defaults"))
    node->defaults = exprs(*arguments, "defaults");
  if (node->defaults.size() > node->parameters.size())
    fail(json, "a lambda has more defaults than parameters");
  node->body = expr(json, "body");
  return node;
}

const Expr *NodeReader::readFormatted(const Object &json) {
  auto *node = make<FormattedString>(json);
  const llvm::json::Array *parts = json.getArray("values");
  if (!parts) {
    fail(json, "'JoinedStr' has no list in 'values'");
    return node;
  }
  for (const llvm::json::Value &element : *parts) {
    const Object *part = element.getAsObject();
    if (!part) {
      fail(json, "'values' holds something that is no node");
      break;
    }
    if (part->getString("k").value_or("") != "FormattedValue") {
      node->parts.push_back({readExpr(*part), 0, ""});
      continue;
    }
    int64_t conversion = part->getInteger("conversion").value_or(-1);
    FormattedString::Part formatted{expr(*part, "value"),
                                    conversion > 0 ? static_cast<char>(conversion) : '\0', ""};
    if (const Object *spec = part->getObject("format_spec")) {
      const auto *text = llvm::dyn_cast<FormattedString>(readExpr(*spec));
      for (const FormattedString::Part &piece : text ? text->parts : decltype(node->parts){}) {
        const auto *constant = llvm::dyn_cast<ConstantExpr>(piece.value);
        if (!constant || !constant->value.asString())
          return unsupportedExpr(json, "a computed format specification");
        formatted.format += *constant->value.asString();
      }
    }
    node->parts.push_back(std::move(formatted));
  }
  return node;
}

const Expr *NodeReader::readListComp(const Object &json) {
  auto *node = make<ListComp>(json);
  const llvm::json::Array *generators = json.getArray("generators");
  if (!generators || generators->empty()) {
    fail(json, "'ListComp' has no list in 'generators'");
    node->element = placeholder(json);
    return node;
  }
  for (const llvm::json::Value &element : *generators) {
    const Object *generator = element.getAsObject();
    if (!generator) {
      fail(json, "'generators' holds something that is no node");
      break;
    }
    node->generators.push_back(
        {expr(*generator, "target"), expr(*generator, "iter"), exprs(*generator, "ifs")});
  }
  node->element = expr(json, "elt");
  return node;
}
