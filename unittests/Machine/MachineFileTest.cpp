//===- MachineFileTest.cpp - chip files, good and bad ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/MachineFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <random>

namespace kiln::machine {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string &stockText() {
  static const std::string text(stockMachines()[0].text);
  return text;
}

std::string messageOf(const Result<Machine> &result) {
  return result ? "no error" : result.error().message();
}

TEST(MachineFile, StockChipsLoad) {
  ASSERT_EQ(stockMachines().size(), 2u);
  for (const StockMachine &stock : stockMachines()) {
    Result<Machine> machine = parseMachine(stock.text, stock.name);
    ASSERT_TRUE(machine) << machine.error().message();
    EXPECT_EQ(machine->name, stock.name);
    EXPECT_TRUE(stockMachine(stock.name)) << stock.name;
  }
  EXPECT_EQ(*stockMachine("ascend910b"), *stockMachine("ascend910b")) << "read once";
}

TEST(MachineFile, TheDefaultChip) {
  const Machine &chip = **stockMachine("ascend910b");
  EXPECT_EQ(chip.aiCores, 24u);
  EXPECT_EQ(chip.vectorCores(), 48u);
  EXPECT_DOUBLE_EQ(chip.clockGhz, 1.85);
  EXPECT_EQ(chip.memory(Memory::UB).bytes, 192u << 10);
  EXPECT_EQ(chip.memory(Memory::UB).usableBytes, 196352u);
  EXPECT_EQ(chip.memory(Memory::L1).usableBytes, 524032u);
  EXPECT_EQ(chip.memory(Memory::L0C).alignment, 512u);
  EXPECT_EQ(chip.shared.l2Bytes, 192u << 20);
  EXPECT_EQ(chip.control.queueDepth, 16u);
  EXPECT_EQ(chip.path(Memory::L1, Memory::GM), nullptr) << "no pipe of the AIC does this";
  EXPECT_EQ(chip.path(Memory::GM, Memory::L0A), nullptr);
  const Path *load = chip.path(Memory::GM, Memory::UB);
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->core, Core::AIV);
  EXPECT_EQ(load->pipe, Pipe::MTE2);
}

TEST(MachineFile, LegalTypes) {
  const Machine &chip = **stockMachine("ascend910b");
  EXPECT_TRUE(chip.supports(Opcode::VAdd, Element::F16));
  EXPECT_TRUE(chip.supports(Opcode::VAdd, Element::I32));
  EXPECT_FALSE(chip.supports(Opcode::VAdd, Element::BF16)) << "bf16 is cast first";
  EXPECT_FALSE(chip.supports(Opcode::VAdd, Element::I8));
  EXPECT_FALSE(chip.supports(Opcode::VDiv, Element::I32));
  EXPECT_TRUE(chip.supports(Opcode::VSel, Element::U16));
  EXPECT_FALSE(chip.supports(Opcode::VSel, Element::I8));
  EXPECT_TRUE(chip.compares(Opcode::VCmp, Element::F32, Predicate::LT));
  EXPECT_TRUE(chip.compares(Opcode::VCmp, Element::I32, Predicate::EQ));
  EXPECT_FALSE(chip.compares(Opcode::VCmp, Element::I32, Predicate::LT));
  EXPECT_FALSE(chip.compares(Opcode::VAdd, Element::F32, Predicate::LT)) << "no comparison";
  EXPECT_TRUE(chip.supportsAtomic(Opcode::Store, Element::F32, Atomic::Add));
  EXPECT_FALSE(chip.supportsAtomic(Opcode::Store, Element::F32, Atomic::Exchange));
  EXPECT_FALSE(chip.supports(Opcode::SetFlag, Element::F32));
  EXPECT_TRUE(chip.facts(Opcode::SetFlag).present);
  const Conversion *narrow = chip.conversion(Opcode::VConv, Element::F32, Element::F16);
  ASSERT_NE(narrow, nullptr);
  EXPECT_TRUE(narrow->roundings.contains(Rounding::Odd));
  EXPECT_FALSE(narrow->roundings.contains(Rounding::None));
  EXPECT_EQ(chip.conversion(Opcode::VConv, Element::F16, Element::BF16), nullptr);
  EXPECT_EQ(chip.conversion(Opcode::VConv, Element::I8, Element::I32), nullptr);
  EXPECT_EQ(chip.cubeType(Element::F16, Element::F16), nullptr);
}

TEST(MachineFile, NumbersThatAreAssumedHaveARange) {
  const Machine &chip = **stockMachine("ascend910b");
  EXPECT_GT(chip.constants.size(), 200u);
  unsigned assumed = 0;
  for (const Constant &constant : chip.constants) {
    EXPECT_FALSE(constant.source.empty()) << constant.path;
    assumed += constant.provenance == Provenance::Assumed;
    if (constant.provenance == Provenance::Assumed)
      EXPECT_TRUE(constant.range) << constant.path;
  }
  EXPECT_GT(assumed, 10u);
  const Constant *issue = chip.constant("control.scalar_issue_cycles");
  ASSERT_NE(issue, nullptr);
  EXPECT_EQ(issue->value, chip.control.scalarIssueCycles);
  EXPECT_EQ(*issue->range, (std::array<double, 2>{1, 8}));
  const Constant *slope = chip.constant("opcodes.vdiv.cost[1]");
  ASSERT_NE(slope, nullptr);
  EXPECT_EQ(slope->value, 4);
  EXPECT_EQ(chip.constant("control"), nullptr);
}

TEST(MachineFile, ChipsOfOneClassDifferInCoresAndClockOnly) {
  const Machine &one = **stockMachine("ascend910b");
  const Machine &other = **stockMachine("ascend910b3");
  EXPECT_NE(one.fileHash, other.fileHash);
  ASSERT_EQ(one.constants.size(), other.constants.size());
  std::vector<std::string> differences;
  for (size_t index = 0; index < one.constants.size(); ++index) {
    EXPECT_EQ(one.constants[index].path, other.constants[index].path);
    if (one.constants[index].value != other.constants[index].value)
      differences.push_back(one.constants[index].path);
  }
  EXPECT_THAT(differences, ::testing::ElementsAre("chip.ai_cores", "chip.clock_ghz"));
}

TEST(MachineFile, HashIsThatOfTheText) {
  EXPECT_EQ(parseMachine(stockText(), "a")->fileHash, parseMachine(stockText(), "b")->fileHash);
  EXPECT_NE(parseMachine(stockText(), "a")->fileHash,
            parseMachine(stockText() + " ", "a")->fileHash);
}

/// A change of the stock file, and the error that it must give.
struct Mutation {
  const char *pointer;     ///< JSON pointer of the value that changes
  const char *replacement; ///< JSON text; null: the value goes
  const char *message;     ///< place, found and expected, or the beginning of them
};

const Mutation mutations[] = {
    // Keys
    {"/control/queue_depth", nullptr, "control.queue_depth: missing key"},
    {"/control", nullptr, "control: missing key"},
    {"/control/queue_dept", "1", "control.queue_dept: unknown key, expected one of barrier_min"},
    {"/colour", "1", "colour: unknown key, expected one of absent_opcodes, chip, control"},
    {"/memories/UB", nullptr, "memories.UB: missing key"},
    {"/memories/L3", "{}", "memories.L3: unknown key"},
    {"/opcodes/vadd", nullptr, "opcodes.vadd: missing key"},
    {"/opcodes/vfoo", "{}", "opcodes.vfoo: unknown key"},
    {"/opcodes/vadd/speed", "1", "opcodes.vadd.speed: unknown key"},
    {"/opcodes/vadd/cost", nullptr, "opcodes.vadd.cost: missing key"},
    {"/opcodes/load/cost", R"({"value": 1})", "opcodes.load.cost: unknown key"},
    {"/opcodes/set_flag", "{}", "opcodes.set_flag: unknown key"},
    {"/opcodes/store/atomics", nullptr, "opcodes.store.atomics: missing key"},
    {"/paths/GM->UB/latency_cycles", nullptr, "paths.GM->UB.latency_cycles: missing key"},
    {"/chip/clock_ghz/value", nullptr, "chip.clock_ghz.value: missing key"},
    {"/chip/clock_ghz/provenance", nullptr, "chip.clock_ghz.provenance: missing key"},
    {"/chip/clock_ghz/source", nullptr, "chip.clock_ghz.source: missing key"},
    {"/chip/clock_ghz/unit", "1", "chip.clock_ghz.unit: unknown key"},
    // Types
    {"", "[]", "a list, expected an object"},
    {"/schema", "2", "schema: 2, expected 1"},
    {"/schema", "\"1\"", "schema: '1', expected 1"},
    {"/name", "7", "name: 7, expected a text"},
    {"/name", "\"\"", "name: '', expected a text"},
    {"/chip", "null", "chip: null, expected an object"},
    {"/chip/ai_cores", "24", "chip.ai_cores: 24, expected an object"},
    {"/chip/ai_cores/value", "\"24\"", "chip.ai_cores.value: '24', expected a whole number"},
    {"/chip/ai_cores/value", "[24]", "chip.ai_cores.value: a list, expected a whole number"},
    {"/chip/ai_cores/value", "true", "chip.ai_cores.value: true, expected a whole number"},
    {"/chip/ai_cores/value", "24.5", "chip.ai_cores.value: 24.5, expected a whole number"},
    {"/paths", "[]", "paths: a list, expected an object"},
    {"/opcodes/vadd/elements/value", "\"f32\"",
     "opcodes.vadd.elements.value: 'f32', expected a list"},
    {"/opcodes/vadd/elements/value/0", "16", "opcodes.vadd.elements.value[0]: 16, expected a text"},
    {"/absent_opcodes", "\"vadd\"", "absent_opcodes: 'vadd', expected a list"},
    // Absurd numbers
    {"/chip/ai_cores/value", "0", "chip.ai_cores.value: 0, expected a whole number from 1 to 1024"},
    {"/chip/clock_ghz/value", "-1.85", "chip.clock_ghz.value: -1.85, expected a number from 0.1"},
    {"/chip/clock_ghz/value", "1850",
     "chip.clock_ghz.value: 1850, expected a number from 0.1 to 10"},
    {"/memories/UB/bytes/value", "1e12", "memories.UB.bytes.value: 1000000000000.0, expected a"},
    {"/memories/UB/usable_bytes/value", "200000",
     "memories.UB.usable_bytes.value: 200000, expected at"},
    {"/memories/UB/alignment/value", "48",
     "memories.UB.alignment.value: 48, expected a power of two"},
    {"/paths/GM->UB/peak_bytes_per_cycle/value", "0", "paths.GM->UB.peak_bytes_per_cycle.value: 0"},
    {"/paths/GM->UB/peak_bytes_per_cycle/value", "80",
     "value: 80, expected a value in its range, 48 to"},
    {"/paths/GM->UB/latency_cycles/value", "-1", "paths.GM->UB.latency_cycles.value: -1, expected"},
    {"/opcodes/vadd/cost/value/1", "0",
     "opcodes.vadd.cost.value[1]: 0, expected a number from 0.01"},
    {"/opcodes/vadd/cost/value", "[10, 2]", "opcodes.vadd.cost.value: 2 values, expected 3"},
    {"/opcodes/vadd/cost/value", "10", "opcodes.vadd.cost.value: 10, expected a list"},
    {"/opcodes/vmin/cost/value/0", "99",
     "opcodes.vmin.cost.value[0]: 99, expected a value in its range"},
    {"/opcodes/vmin/cost/range/0", "[1, 2]", "opcodes.vmin.cost.range[0]: 2 values, expected 3"},
    {"/opcodes/vmin/cost/range", "3", "opcodes.vmin.cost.range: 3, expected a list"},
    {"/control/queue_depth/range", "[4]",
     "control.queue_depth.range: 1 values, expected the lowest"},
    {"/control/queue_depth/range", "[64, 4]",
     "control.queue_depth.value: 16, expected a value in its"},
    {"/control/queue_depth/range", nullptr,
     "control.queue_depth.range: missing key, expected the range"},
    {"/limits/cross_user_ids/value", "17",
     "limits.cross_user_ids.value: 17, expected at most the 16"},
    {"/shared/l2_combined_bytes_per_second",
     R"({"value": 3e12, "provenance": "published", "source": "pto"})",
     "shared.l2_combined_bytes_per_second.value: 3000000000000.0, expected at least the larger"},
    {"/shared/l2_line_bytes/value", "500",
     "shared.l2_line_bytes.value: 500, expected a power of two"},
    // Names
    {"/chip/clock_ghz/provenance", "\"guessed\"", "chip.clock_ghz.provenance: 'guessed', expected"},
    {"/chip/clock_ghz/source", "\"heard\"", "chip.clock_ghz.source: 'heard', expected pto"},
    {"/chip/clock_ghz/source", "\"pto,ini\"", "chip.clock_ghz.source: 'pto,ini', expected pto"},
    {"/paths/GM->XB", "{}", "paths.GM->XB: no path, expected two memories"},
    {"/paths/GM", "{}", "paths.GM: no path, expected two memories"},
    {"/paths/UB->UB", "{}", "paths.UB->UB: no path, expected two memories"},
    {"/paths/GM->UB/pipe", "\"MTE9\"", "paths.GM->UB.pipe: 'MTE9', expected MTE1"},
    {"/paths/GM->UB/pipe", "\"V\"", "paths.GM->UB.pipe: 'V', expected MTE1"},
    {"/paths/GM->UB/core", "\"GPU\"", "paths.GM->UB.core: 'GPU', expected AIC or AIV"},
    {"/opcodes/vadd/elements/value/0", "\"f8\"",
     "opcodes.vadd.elements.value[0]: 'f8', expected an"},
    {"/opcodes/vadd/elements/value/1", "\"f16\"", "opcodes.vadd.elements.value[1]: 'f16' again"},
    {"/opcodes/vadd/elements/value", "[]", "opcodes.vadd: no element type"},
    {"/opcodes/vadd/elements/range", "[1, 2]",
     "opcodes.vadd.elements.range: a range, expected none"},
    {"/opcodes/vadd/per", "\"column\"", "opcodes.vadd.per: 'column', expected repeat or row"},
    {"/opcodes/vadd/per", "\"row\"", "opcodes.vadd.further_repeat_cycles: missing key"},
    {"/opcodes/vconv/conversions/value/f32->f17", "[\"rint\"]", "value.f32->f17: no pair of types"},
    {"/opcodes/vconv/conversions/value/f32->f16", "[]", "value.f32->f16: an empty list"},
    {"/opcodes/vconv/conversions/value/f32->f16", "[\"up\"]",
     "value.f32->f16[0]: 'up', expected none"},
    {"/opcodes/store/atomics/value/sub", "[\"f32\"]",
     "opcodes.store.atomics.value.sub: unknown key"},
    {"/cube/types/f16", "{}", "cube.types.f16: no pair of types"},
    {"/absent_opcodes", "[\"vfoo\"]", "absent_opcodes[0]: 'vfoo', expected the name"},
    {"/absent_opcodes", "[\"vadd\"]", "absent_opcodes[0]: 'vadd', expected an instruction that"},
    {"/absent_opcodes", "[\"mmad\"]", "absent_opcodes[0]: 'mmad', expected an instruction that"},
};

TEST(MachineFile, BadFilesGiveTheirPlace) {
  const Json good = Json::parse(stockText());
  for (const Mutation &mutation : mutations) {
    SCOPED_TRACE(std::string(mutation.pointer) + " = " +
                 (mutation.replacement ? mutation.replacement : "nothing"));
    Json bad = good;
    Json::json_pointer pointer(mutation.pointer);
    if (mutation.replacement)
      bad[pointer] = Json::parse(mutation.replacement);
    else
      bad[pointer.parent_pointer()].erase(pointer.back());
    Result<Machine> machine = parseMachine(bad.dump(), "chip.json");
    EXPECT_THAT(messageOf(machine), StartsWith("chip.json: "));
    EXPECT_THAT(messageOf(machine), HasSubstr(mutation.message));
  }
}

TEST(MachineFile, TextThatIsNoJson) {
  EXPECT_EQ(messageOf(parseMachine("", "c.json")),
            "c.json:1:1: no valid JSON, expected a chip file");
  EXPECT_THAT(messageOf(parseMachine("{\n  \"a\": 1,\n  ]\n}", "c.json")),
              StartsWith("c.json:3:3: "));
  EXPECT_THAT(messageOf(parseMachine("{\"name\": \"\xff\"}", "c.json")),
              HasSubstr("no valid JSON"));
  EXPECT_THAT(messageOf(parseMachine("{\"value\": 1e999}", "c.json")), HasSubstr("no valid JSON"));
  EXPECT_THAT(messageOf(parseMachine(R"({"chip": {"a": 1, "b": [{}], "a": 2}})", "c.json")),
              HasSubstr("c.json: chip.a: a second key of this name"));
  EXPECT_THAT(messageOf(parseMachine(std::string(100000, '['), "c.json")),
              HasSubstr("nested 17 deep"));
  EXPECT_THAT(messageOf(parseMachine("3", "c.json")), HasSubstr("c.json: 3, expected an object"));
}

TEST(MachineFile, AnInstructionMayBeAbsent) {
  Json text = Json::parse(stockText());
  text["opcodes"].erase("vlrelu");
  text["absent_opcodes"] = {"vlrelu"};
  Result<Machine> machine = parseMachine(text.dump(), "chip.json");
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_FALSE(machine->facts(Opcode::VLrelu).present);
  EXPECT_FALSE(machine->supports(Opcode::VLrelu, Element::F32));
}

TEST(MachineFile, EditedNumbersAreRead) {
  Result<std::string> text = editMachineText(stockText(), "memories.UB.usable_bytes", 65536);
  ASSERT_TRUE(text) << text.error().message();
  Result<Machine> machine = parseMachine(*text, "edited.json");
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(machine->memory(Memory::UB).usableBytes, 65536u);
  EXPECT_NE(machine->fileHash, parseMachine(stockText(), "stock.json")->fileHash);
  text = editMachineText(stockText(), "opcodes.vadd.cost[1]", 5.5);
  ASSERT_TRUE(text) << text.error().message();
  machine = parseMachine(*text, "edited.json");
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(machine->facts(Opcode::VAdd).cost->slopeCycles, 5.5);
  for (const char *path : {"", "control", "control.nothing", "opcodes.vadd.cost", "name", "[0]",
                           "opcodes.vadd.cost[3]", "opcodes.vadd.cost[]", "opcodes.vadd.cost[-1]",
                           "control.queue_depth[0]", "opcodes.vadd.elements"})
    EXPECT_FALSE(editMachineText(stockText(), path, 1)) << path;
  EXPECT_FALSE(editMachineText("[", "control.queue_depth", 1));
}

TEST(MachineFile, EveryConstantCanBeEdited) {
  const Machine &chip = **stockMachine("ascend910b");
  for (const Constant &constant : chip.constants)
    EXPECT_TRUE(editMachineText(stockText(), constant.path, constant.value)) << constant.path;
}

TEST(MachineFile, Finding) {
  namespace fs = std::filesystem;
  std::string folder = ::testing::TempDir() + "kiln-machines";
  fs::create_directories(folder);
  std::ofstream(folder + "/small.json")
      << *editMachineText(stockText(), "memories.UB.usable_bytes", 4096);
  std::ofstream(folder + "/broken.json") << "{";
  Result<MachineRef> found = findMachine("small", folder);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ((*found)->memory(Memory::UB).usableBytes, 4096u);
  EXPECT_TRUE(findMachine(folder + "/small.json"));
  EXPECT_EQ(*findMachine("ascend910b3", folder), *stockMachine("ascend910b3"));
  EXPECT_THAT(findMachine("broken", folder).error().message(), HasSubstr("broken.json:1:"));
  EXPECT_THAT(findMachine("small").error().message(),
              HasSubstr("machine 'small': no such chip, expected ascend910b, ascend910b3"));
  EXPECT_FALSE(findMachine("", folder));
  EXPECT_FALSE(findMachine("../kiln-machines/small", folder));
  EXPECT_FALSE(loadMachine(folder));
  EXPECT_FALSE(loadMachine(folder + "/none.json"));
  fs::remove_all(folder);
}

TEST(MachineFile, DamagedTextsNeverCrash) {
  std::mt19937 random(17);
  const std::string &good = stockText();
  unsigned refused = 0;
  for (unsigned round = 0; round < 300; ++round) {
    std::string text = good;
    unsigned flips = 1 + random() % 4;
    for (unsigned flip = 0; flip < flips; ++flip) {
      size_t where = random() % text.size();
      constexpr std::string_view structure = "{}[]\",:0-9e";
      text[where] = round % 2 ? structure[random() % structure.size()]
                              : static_cast<char>(text[where] ^ 1 << random() % 8);
    }
    Result<Machine> machine = parseMachine(text, "chip.json");
    refused += !machine;
    if (!machine)
      ASSERT_THAT(machine.error().message(), StartsWith("chip.json:"));
  }
  EXPECT_GT(refused, 200u);
  for (size_t size = 0; size < good.size() - 2; size += good.size() / 97)
    EXPECT_FALSE(parseMachine(std::string_view(good).substr(0, size), "chip.json")) << size;
}

} // namespace
} // namespace kiln::machine
