// jit, code: native code: how much there is, of what, and one function's, instruction by
// instruction.
#include <algorithm>

#include "bytecode/instructions.h"
#include "loader/code_table.h"
#include "loader/code_words.h"
#include "loader/disasm_loaded.h"
#include "loader/instruction_walk.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/jit/baseline.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/observe/sampler.h"
#include "vm/orc/orc.h"
#include "vm/process/run.h"

namespace wb {
namespace {

constexpr size_t kMostCode = 1u << 20;

Sampler& sampler_of(RequestContext& a) { return *a.vm.sampler; }

const char* tier_of(RequestContext& a, const Baseline::Compiled& c) {
  static constexpr const char* kTexts[] = {"traced", "baseline", "LLVM"};
  return kTexts[static_cast<size_t>(a.vm.baseline->tier_of(c.entry))];
}

void write_tiers(RequestContext& a) {
  JsonWriter& w = a.out;
  const BaselineCounters& c = a.vm.baseline->counters;
  w.object("baseline");
#define BASELINE(name, text) w.number(#name, c.name.load());
#define LLVM(name, text)
#include "vm/jit/counters.def"
#undef BASELINE
#undef LLVM
  w.close('}');
  if (!a.vm.orc) return;
  const OrcCounters& o = a.vm.orc->counters;
  w.object("LLVM");
#define BASELINE(name, text)
#define LLVM(name, text) w.number(#name, o.name.load());
#include "vm/jit/counters.def"
#undef BASELINE
#undef LLVM
  uint64_t done = o.functions.load() + o.refused.load(), queued = o.queued.load();
  w.number("waiting", queued > done ? queued - done : 0)
      .number("native_left", a.vm.orc->native_exits())
      .close('}');
}

struct FunctionSeen {
  std::string name;
  const char* tier;
  uint64_t bytes, instructions, samples, returns, hot_bytes, exit_count;
};

/// Those that were sampled most, then the largest.
std::vector<FunctionSeen> functions_seen(RequestContext& a) {
  auto samples = sampler_of(a).functions();
  std::vector<FunctionSeen> all;
  a.vm.code->each_module([&](const Module& m) {
    for (const Baseline::Compiled& c : a.vm.baseline->compiled(m)) {
      const Module::Function* f = m.function_at(c.entry);
      if (!f) continue;
      std::string name = mfa_text(m.name, f->name, f->arity);
      auto at = samples.find(name);
      uint64_t n = at == samples.end() ? 0 : at->second.all;
      Orc::Hot hot;
      if (a.vm.orc) a.vm.orc->find(m, c.entry, &hot);
      all.push_back({std::move(name), tier_of(a, c), c.block.size, handlers_of(m, *f).size(), n,
                     c.returns, hot.bytes, hot.exit_count});
    }
  });
  std::sort(all.begin(), all.end(), [](const FunctionSeen& x, const FunctionSeen& y) {
    return x.samples != y.samples ? x.samples > y.samples : x.bytes > y.bytes;
  });
  return all;
}

void write_bytes(JsonWriter& w, const uint8_t* code, size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (size_t k = 0; k < size && k < kMostCode; ++k) {
    hex += kDigits[code[k] >> 4];
    hex += kDigits[code[k] & 15];
  }
  w.number("address", reinterpret_cast<uint64_t>(code)).text("bytes", hex);
}

/// Names of what its code jumps to: the interpreter, where something is slow.
void write_names(RequestContext& a, std::vector<unsigned> all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  a.out.array("names");
  for (unsigned h : all) {
    a.out.open('[').number(a.vm.code->handlers()[h]);
    a.out.text(info_of(instr_of(h)).name).close(']');
  }
  a.out.close(']');
}

/// What LLVM made of it: which bytes are about which instruction.
void write_hot(RequestContext& a, const Module& m, const Word* entry) {
  Orc::Hot hot;
  if (!a.vm.orc || !a.vm.orc->find(m, entry, &hot)) return;
  JsonWriter& w = a.out;
  auto offset = static_cast<uint64_t>(entry - m.code);
  w.object("LLVM");
  write_bytes(w, hot.code, hot.bytes);
  write_names(a, hot.handlers);
  w.array("lines");
  for (const OrcCompiler::Line& l : hot.lines) {
    w.open('[').number(l.code);
    w.number(l.at == OrcCompiler::Line::kNone ? 0 : offset + l.at).close(']');
  }
  w.close(']').array("entries");
  for (const OrcCompiler::Entry& e : hot.entries) {
    w.open('[').number(e.code - reinterpret_cast<Word>(hot.code)).number(offset + e.at).close(']');
  }
  w.close(']').close('}');
}

/// Inside CodeTable::each_module.
void write_function(RequestContext& a, const Module& m, const Module::Function& f,
                    const std::string& name) {
  JsonWriter& w = a.out;
  Sampler::Lines samples = sampler_of(a).lines(name);
  w.text("function", name).text("file", m.location(m.code + f.entry).file);
  w.number("samples", samples.samples.all).array("line_samples");
  for (const auto& [line, n] : samples.counts) w.open('[').number(line).number(n).close(']');
  w.close(']');
  std::vector<Baseline::Compiled> all;
  if (a.vm.baseline) all = a.vm.baseline->compiled(m);
  const Word* entry = m.code + f.entry;
  auto c = std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.entry == entry; });
  if (c == all.end()) {
    w.text("tier", "interpreter").array("rows").close(']');
    return;
  }
  w.text("tier", tier_of(a, *c));
  write_hot(a, m, entry);
  write_bytes(w, c->block.run, c->block.size);
  const std::span handlers = handlers_of(m, f);
  write_names(a, {handlers.begin(), handlers.end()});
  w.array("rows");
  const std::vector<Word> words =
      CodeWords::Edit(a.vm.code->code_words()).words(m, entry, Layer::baseline);
  size_t k = 0;
  for (const InstructionText& i : disassemble_function(m, f)) {
    w.open('{').number("at", i.at).number("line", i.line).text("text", i.text);
    if (k < words.size()) w.number("native", words[k++] - reinterpret_cast<Word>(c->block.run));
    w.close('}');
  }
  w.close(']');
}

}  // namespace

/// {"limit": 200}
std::string answer_jit(RequestContext& a) {
  JsonWriter& w = a.out;
  w.boolean("on", a.vm.baseline != nullptr);
  if (!a.vm.baseline) return {};
  write_tiers(a);
  auto limit = static_cast<size_t>(a.request.number("limit", 200, 0, 5000));
  w.array("rows");
  if (limit) {
    std::vector<FunctionSeen> rows = functions_seen(a);
    for (size_t k = 0; k < rows.size() && k < limit; ++k) {
      w.open('{').text("fn", rows[k].name).text("tier", rows[k].tier);
      w.number("bytes", rows[k].bytes).number("instructions", rows[k].instructions);
      w.number("samples", rows[k].samples).number("returns", rows[k].returns);
      w.number("hot_bytes", rows[k].hot_bytes).number("left", rows[k].exit_count).close('}');
    }
  }
  w.close(']');
  return {};
}

/// {"function": "lists:map/2"}
std::string answer_code(RequestContext& a) {
  std::string wanted(a.request.text("function"));
  std::string_view module(wanted);
  size_t colon = wanted.starts_with('\'') ? wanted.find("':") + 1 : wanted.find(':');
  if (colon >= wanted.size()) return "which function: M:F/A";
  module = module.substr(0, colon);
  bool found = false;
  a.vm.code->each_module([&](const Module& m) {
    if (found || atom_source(m.name) != module) return;
    for (const Module::Function& f : m.functions) {
      if (found || mfa_text(m.name, f.name, f.arity) != wanted) continue;
      found = true;
      write_function(a, m, f, wanted);
    }
  });
  return found ? "" : "no such function is loaded";
}

}  // namespace wb
