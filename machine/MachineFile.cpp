//===- MachineFile.cpp - from the text of a chip file to a Machine ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One function per section of the file, in its order. The bounds beside each number are far wider
// than any chip: what is beyond them is a slip of the pen or another unit.
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/MachineFile.h"

#include "machine/JsonReader.h"

#include <algorithm>
#include <cmath>

namespace kiln::machine {

namespace {

constexpr Bounds cycles = {0, 1e5};
constexpr Bounds someCycles = {0.01, 1e5};
constexpr Bounds bandwidth = {1e9, 1e15};

/// Instructions about which a chip file has nothing to say: flags, and mmad, whose types stand with
/// the cube.
bool hasFacts(const OpcodeInfo &opcode) {
  switch (opcode.opClass) {
  case OpClass::Mmad:
  case OpClass::Flag:
  case OpClass::Barrier:
  case OpClass::CrossFlag:
  case OpClass::SyncAll:
    return false;
  default:
    return true;
  }
}

class ChipReader {
public:
  explicit ChipReader(std::string_view file) : reader(file) {}

  Result<Machine> read(const Json &root);

private:
  void chip(const Node &node);
  void memories(const Node &node);
  void paths(const Node &node);
  void opcodes(const Node &node, const Node &absent);
  void opcode(const Node &node, const OpcodeInfo &info, OpcodeFacts &facts);
  void vectorCost(Fields &fields, OpcodeFacts &facts);
  void cube(const Node &node);
  void control(const Node &node);
  void shared(const Node &node);
  void limits(const Node &node);
  void relations();

  ElementSet elementList(const Node &list);
  ElementSet elements(const Node &constant);
  void atomics(const Node &constant, OpcodeFacts &facts);
  void conversions(const Node &constant, OpcodeFacts &facts);
  std::optional<std::pair<Element, Element>> pair(const std::string &path, std::string_view key);

  /// A name of an enumeration.
  template <typename Enum>
  Enum named(const Node &node, std::optional<Enum> (*byName)(std::string_view), const char *what) {
    std::string text = reader.text(node);
    std::optional<Enum> found = byName(text);
    if (!found && reader.ok())
      reader.fail(node.path, "'" + text + "'", what);
    return found.value_or(Enum());
  }

  JsonReader reader;
  Machine machine;
};

void ChipReader::chip(const Node &node) {
  Fields fields(reader, node);
  fields.number("ai_cores", machine.aiCores, {1, 1024});
  fields.number("vectors_per_core", machine.vectorsPerCore, {1, 8});
  fields.number("clock_ghz", machine.clockGhz, {0.1, 10});
  fields.done();
}

void ChipReader::memories(const Node &node) {
  Fields fields(reader, node);
  for (unsigned index = 0; index < memoryCount; ++index) {
    MemoryFacts &facts = machine.memories[index];
    Fields memory(reader, fields.need(name(static_cast<Memory>(index))));
    Bounds size = static_cast<Memory>(index) == Memory::GM ? Bounds{1e6, 1e13} : Bounds{256, 1e8};
    memory.number("bytes", facts.bytes, size);
    memory.number("usable_bytes", facts.usableBytes, size);
    memory.number("alignment", facts.alignment, {1, 4096});
    memory.done();
    if (facts.usableBytes > facts.bytes)
      reader.fail(memory.path() + ".usable_bytes.value", std::to_string(facts.usableBytes),
                  "at most the " + std::to_string(facts.bytes) + " bytes of the memory");
    if (reader.ok() && (facts.alignment & (facts.alignment - 1)))
      reader.fail(memory.path() + ".alignment.value", std::to_string(facts.alignment),
                  "a power of two");
  }
  fields.done();
}

void ChipReader::paths(const Node &node) {
  if (!reader.object(node).value)
    return;
  for (const auto &item : node.value->items()) {
    Node member = node.at(item.key());
    const std::string &key = item.key();
    size_t arrow = key.find("->");
    std::optional<Memory> from = memoryByName(std::string_view(key).substr(0, arrow));
    std::optional<Memory> to = arrow == std::string::npos
                                   ? std::nullopt
                                   : memoryByName(std::string_view(key).substr(arrow + 2));
    if (!from || !to || from == to) {
      reader.fail(member.path, "no path", "two memories such as GM->UB");
      return;
    }
    Path path;
    path.from = *from;
    path.to = *to;
    Fields fields(reader, member);
    path.core = named(fields.need("core"), coreByName, "AIC or AIV");
    path.pipe = named(fields.need("pipe"), pipeByName, "MTE1, MTE2, MTE3 or FIX");
    fields.number("peak_bytes_per_cycle", path.rate.peakBytesPerCycle, {0.1, 1e5});
    fields.number("half_bytes", path.rate.halfBytes, {0, 1e7});
    fields.number("latency_cycles", path.latencyCycles, cycles);
    fields.done();
    if (reader.ok() && (path.pipe == Pipe::S || path.pipe == Pipe::V || path.pipe == Pipe::M))
      reader.fail(member.path + ".pipe", "'" + std::string(name(path.pipe)) + "'",
                  "MTE1, MTE2, MTE3 or FIX");
    machine.paths.push_back(path);
  }
  if (machine.paths.empty())
    reader.fail(node.path, "no path", "at least one");
}

ElementSet ChipReader::elementList(const Node &list) {
  ElementSet set;
  if (!reader.list(list).value)
    return set;
  for (size_t index = 0; index < list.value->size() && reader.ok(); ++index) {
    Node member = list.at(index);
    Element element = named(member, elementByName, "an element type such as f32");
    if (reader.ok() && set.contains(element))
      reader.fail(member.path, describe(*member.value) + " again", "each type once");
    set.insert(element);
  }
  return set;
}

ElementSet ChipReader::elements(const Node &constant) {
  return elementList(reader.origin(constant, /*numeric=*/false).value);
}

void ChipReader::atomics(const Node &constant, OpcodeFacts &facts) {
  Fields fields(reader, reader.origin(constant, /*numeric=*/false).value);
  for (unsigned index = 1; index < atomicCount; ++index)
    if (Node list = fields.maybe(name(static_cast<Atomic>(index))); list.value)
      facts.atomicElements[index] = elementList(list);
  fields.done();
}

std::optional<std::pair<Element, Element>> ChipReader::pair(const std::string &path,
                                                            std::string_view key) {
  size_t arrow = key.find("->");
  if (arrow != std::string_view::npos) {
    std::optional<Element> from = elementByName(key.substr(0, arrow));
    std::optional<Element> to = elementByName(key.substr(arrow + 2));
    if (from && to)
      return std::make_pair(*from, *to);
  }
  reader.fail(path, "no pair of types", "two element types such as f32->f16");
  return std::nullopt;
}

void ChipReader::conversions(const Node &constant, OpcodeFacts &facts) {
  Node value = reader.object(reader.origin(constant, /*numeric=*/false).value);
  if (!value.value)
    return;
  for (const auto &item : value.value->items()) {
    Node list = value.at(item.key());
    auto types = pair(list.path, item.key());
    if (!types || !reader.list(list).value)
      return;
    Conversion conversion{types->first, types->second, {}};
    for (size_t index = 0; index < list.value->size(); ++index)
      conversion.roundings.insert(
          named(list.at(index), roundingByName, "none, rint, floor, ceil, round, trunc or odd"));
    if (conversion.roundings.empty())
      reader.fail(list.path, "an empty list", "at least one rounding mode");
    facts.elements.insert(conversion.from);
    facts.elements.insert(conversion.to);
    facts.conversions.push_back(conversion);
  }
}

void ChipReader::vectorCost(Fields &fields, OpcodeFacts &facts) {
  constexpr Bounds row[] = {cycles, someCycles, cycles};
  std::vector<double> numbers = reader.numbers(fields.need("cost"), row);
  VectorRow cost{numbers[0], numbers[1], numbers[2], 0, 0};
  Node per = fields.maybe("per");
  std::string unit = per.value ? reader.text(per) : "repeat";
  if (unit == "row") {
    fields.number("further_repeat_cycles", cost.furtherRepeatCycles, cycles);
  } else if (unit == "repeat") {
    // A negative size stands for the chip's repeat until limits have been read.
    if (Node bytes = fields.maybe("unit_bytes"); bytes.value)
      cost.unitBytes = reader.number(bytes, {1, 1e6}, /*whole=*/true);
    else
      cost.unitBytes = -1;
  } else if (reader.ok()) {
    reader.fail(per.path, describe(*per.value), "repeat or row");
  }
  facts.cost = cost;
}

void ChipReader::opcode(const Node &node, const OpcodeInfo &info, OpcodeFacts &facts) {
  Fields fields(reader, node);
  switch (info.opClass) {
  case OpClass::VCast:
    conversions(fields.need("conversions"), facts);
    break;
  case OpClass::Fixpipe:
    conversions(fields.need("conversions"), facts);
    atomics(fields.need("atomics"), facts);
    break;
  case OpClass::Store:
    facts.elements = elements(fields.need("elements"));
    atomics(fields.need("atomics"), facts);
    break;
  case OpClass::SAtomic:
    atomics(fields.need("atomics"), facts);
    for (unsigned element = 0; element < elementCount; ++element)
      for (const ElementSet &set : facts.atomicElements)
        if (set.contains(static_cast<Element>(element)))
          facts.elements.insert(static_cast<Element>(element));
    break;
  case OpClass::VCmp:
    facts.elements = elements(fields.need("elements"));
    facts.equalityElements = elements(fields.need("equality_elements"));
    break;
  default:
    facts.elements = elements(fields.need("elements"));
    break;
  }
  if (info.pipe == Pipe::V)
    vectorCost(fields, facts);
  fields.done();
  if (facts.elements.empty())
    reader.fail(node.path, "no element type", "at least one");
  facts.present = true;
}

void ChipReader::opcodes(const Node &node, const Node &absent) {
  Fields fields(reader, node);
  std::vector<bool> missing(opcodeCount, false);
  if (reader.list(absent).value)
    for (size_t index = 0; index < absent.value->size() && reader.ok(); ++index) {
      Node member = absent.at(index);
      Opcode opcode = named(member, opcodeByName, "the name of an instruction");
      if (reader.ok() && (!hasFacts(info(opcode)) || fields.maybe(name(opcode)).value))
        reader.fail(member.path, describe(*member.value), "an instruction that the chip lacks");
      missing[static_cast<size_t>(opcode)] = true;
    }
  for (unsigned index = 0; index < opcodeCount && reader.ok(); ++index) {
    const OpcodeInfo &row = info(static_cast<Opcode>(index));
    if (!hasFacts(row))
      machine.opcodes[index].present = true;
    else if (!missing[index])
      opcode(fields.need(row.mnemonic), row, machine.opcodes[index]);
  }
  fields.done();
}

void ChipReader::cube(const Node &node) {
  CubeFacts &facts = machine.cube;
  Fields fields(reader, node);
  fields.number("fractal_rows", facts.fractalRows, {1, 256});
  fields.number("fractal_bytes", facts.fractalBytes, {32, 65536});
  fields.number("fixed_cycles", facts.fixedCycles, cycles);
  fields.number("max_dimension", facts.maxDimension, {16, 1e6});
  fields.number("barrier_below_products", facts.barrierBelowProducts, {0, 4096});
  Node types = reader.object(fields.need("types"));
  fields.done();
  if (!types.value)
    return;
  OpcodeFacts &mmad = machine.opcodes[static_cast<size_t>(Opcode::Mmad)];
  for (const auto &item : types.value->items()) {
    Node member = types.at(item.key());
    auto both = pair(member.path, item.key());
    if (!both)
      return;
    CubeType type;
    type.from = both->first;
    type.to = both->second;
    Fields row(reader, member);
    row.number("k_step", type.kStep, {1, 4096});
    row.number("cycles_per_step", type.cyclesPerStep, someCycles);
    row.done();
    mmad.elements.insert(type.from);
    facts.types.push_back(type);
  }
}

void ChipReader::control(const Node &node) {
  ControlFacts &facts = machine.control;
  Fields fields(reader, node);
  fields.number("scalar_issue_cycles", facts.scalarIssueCycles, {0.1, 1e4});
  fields.number("loop_iteration_cycles", facts.loopIterationCycles, {0.1, 1e4});
  fields.number("queue_depth", facts.queueDepth, {1, 4096});
  fields.number("ub_element_cycles", facts.ubElementCycles, {0.1, 1e5});
  fields.number("gm_element_cycles", facts.gmElementCycles, {0.1, 1e5});
  fields.number("gm_atomic_cycles", facts.gmAtomicCycles, {0.1, 1e5});
  fields.number("flag_cycles", facts.flagCycles, {0.1, 1e4});
  fields.number("mask_cycles", facts.maskCycles, {0.1, 1e4});
  fields.number("barrier_min_cycles", facts.barrierMinCycles, {0.1, 1e4});
  fields.number("cross_core_cycles", facts.crossCoreCycles, {0.1, 1e5});
  fields.number("dispatch_cycles", facts.dispatchCycles, {0.1, 1e6});
  fields.number("launch_microseconds", facts.launchMicroseconds, {0.01, 1e4});
  fields.number("start_up_cycles", facts.startUpCycles, {0, 1e8});
  fields.done();
}

void ChipReader::shared(const Node &node) {
  SharedFacts &facts = machine.shared;
  Fields fields(reader, node);
  fields.number("l2_bytes", facts.l2Bytes, {1e4, 1e11});
  fields.number("l2_line_bytes", facts.l2LineBytes, {16, 65536});
  fields.number("l2_read_bytes_per_second", facts.l2ReadBytesPerSecond, bandwidth);
  fields.number("l2_write_bytes_per_second", facts.l2WriteBytesPerSecond, bandwidth);
  fields.number("l2_combined_bytes_per_second", facts.l2CombinedBytesPerSecond, bandwidth);
  fields.number("hbm_bytes_per_second", facts.hbmBytesPerSecond, bandwidth);
  fields.number("hbm_bytes_per_cycle_per_core", facts.hbmBytesPerCyclePerCore, {0.1, 1e5});
  fields.number("hbm_latency_cycles", facts.hbmLatencyCycles, cycles);
  fields.number("same_line_bytes_per_cycle", facts.sameLineBytesPerCycle, {0.1, 1e7});
  fields.done();
}

void ChipReader::limits(const Node &node) {
  LimitFacts &facts = machine.limits;
  Fields fields(reader, node);
  fields.number("dma_block_bytes", facts.dmaBlockBytes, {1, 4096});
  fields.number("dma_min_row_bytes", facts.dmaMinRowBytes, {1, 4096});
  fields.number("nz_max_row_stride", facts.nzMaxRowStride, {16, 1e12});
  fields.number("nz_full_rate_stride", facts.nzFullRateStride, {1, 65536});
  fields.number("repeat_bytes", facts.repeatBytes, {32, 65536});
  fields.number("max_repeats", facts.maxRepeats, {1, 65536});
  fields.number("block_bytes", facts.blockBytes, {1, 4096});
  fields.number("compare_bytes", facts.compareBytes, {1, 65536});
  fields.number("count_mode_min_cycles", facts.countModeMinCycles, cycles);
  fields.number("flag_ids", facts.flagIds, {1, 256});
  fields.number("cross_flag_ids", facts.crossFlagIds, {1, 256});
  fields.number("cross_user_ids", facts.crossUserIds, {0, 256});
  fields.number("cross_flag_depth", facts.crossFlagDepth, {1, 65536});
  fields.done();
  if (facts.crossUserIds > facts.crossFlagIds)
    reader.fail(node.path + ".cross_user_ids.value", std::to_string(facts.crossUserIds),
                "at most the " + std::to_string(facts.crossFlagIds) + " ids that there are");
}

/// What holds between sections.
void ChipReader::relations() {
  const SharedFacts &shared = machine.shared;
  double larger = std::max(shared.l2ReadBytesPerSecond, shared.l2WriteBytesPerSecond);
  if (shared.l2CombinedBytesPerSecond < larger)
    reader.fail("shared.l2_combined_bytes_per_second.value",
                Json(shared.l2CombinedBytesPerSecond).dump(),
                "at least the larger of the read and the write pool, " + Json(larger).dump());
  if (shared.l2LineBytes & (shared.l2LineBytes - 1))
    reader.fail("shared.l2_line_bytes.value", std::to_string(shared.l2LineBytes), "a power of two");
  for (OpcodeFacts &facts : machine.opcodes)
    if (facts.cost && facts.cost->unitBytes < 0)
      facts.cost->unitBytes = machine.limits.repeatBytes;
}

Result<Machine> ChipReader::read(const Json &root) {
  Fields fields(reader, Node{&root, ""});
  Node schema = fields.need("schema");
  if (schema.value && *schema.value != Json(machineSchema))
    reader.fail(schema.path, describe(*schema.value), std::to_string(machineSchema));
  machine.name = reader.text(fields.need("name"));
  machine.description = reader.text(fields.need("description"));
  chip(fields.need("chip"));
  memories(fields.need("memories"));
  paths(fields.need("paths"));
  opcodes(fields.need("opcodes"), fields.need("absent_opcodes"));
  cube(fields.need("cube"));
  control(fields.need("control"));
  shared(fields.need("shared"));
  limits(fields.need("limits"));
  fields.done();
  if (reader.ok())
    relations();
  if (!reader.ok())
    return reader.takeError();
  machine.constants = std::move(reader.constants);
  return std::move(machine);
}

} // namespace

Result<Machine> parseMachine(std::string_view text, std::string_view place) {
  Result<Json> root = parseJson(text, place);
  if (!root)
    return root.takeError();
  Result<Machine> machine = ChipReader(place).read(*root);
  if (machine) {
    Hasher hasher;
    hasher.add(text);
    machine->fileHash = hasher.digest();
  }
  return machine;
}

} // namespace kiln::machine
