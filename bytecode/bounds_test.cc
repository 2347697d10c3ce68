// Files made to take for ever, or all memory: they are refused, or accepted, in bounded time.
//
// Limits here are processor time, ten times what these take on a slow machine: they tell linear
// from quadratic. (A build with AddressSanitizer takes ten times as long.) Memory is bounded by
// what is counted before it is taken (kMaxWork, kMaxStoredSlots in function_analysis.cc, counts
// against the bytes that would fill them in beam_file.cc).
#include <catch2/catch.hpp>

#include "base/processor_time.h"
#include "base/sanitizers.h"
#include "bytecode/code_layout.h"
#include "bytecode/validate.h"
#include "term/atom.h"

using namespace wb;

namespace {

#ifdef WB_HAS_TSAN
constexpr bool kSlow = true;
#else
constexpr bool kSlow = kAsan;
#endif
constexpr double kLinear = kSlow ? 100 : 10;  // seconds of processor time

/// One function f/Arity, instruction by instruction.
class LongFunction {
 public:
  explicit LongFunction(uint32_t arity, uint32_t labels = 1000) {
    file_->name = "long";
    file_->atoms = {kNil, intern("long")};
    file_->lines = {{0, 0}};
    unit.file = file_.get();
    unit.labels.assign(labels + 3, kNoInstruction);
    label(1);
    add(Op::func_info, {of(Operand::atom, file_->module()), of(Operand::atom, intern("f")),
                        of(Operand::u, arity)});
    label(2);
    file_->exports.push_back({intern("f"), arity, 2});
    file_->function_count = 1;
  }
  static Operand of(Operand::Type type, uint64_t value) {
    Operand o;
    o.type = type;
    o.value = value;
    return o;
  }
  static Operand x(uint64_t n) { return of(Operand::x, n); }
  static Operand f(uint64_t n) { return of(Operand::f, n); }
  static Operand atom() { return of(Operand::atom, am::ok); }
  Operand list(std::vector<Operand> elements) {
    Operand o = of(Operand::list, unit.list_elements.size());
    o.count = static_cast<uint32_t>(elements.size());
    unit.list_elements.insert(unit.list_elements.end(), elements.begin(), elements.end());
    return o;
  }
  void add(Op op, std::initializer_list<Operand> operands) {
    auto byte = static_cast<uint32_t>(unit.instructions.size() + unit.list_elements.size());
    unit.instructions.push_back({op, 0, static_cast<uint32_t>(unit.operands.size()), byte});
    unit.operands.insert(unit.operands.end(), operands);
  }
  void label(uint64_t n) {
    unit.labels[n] = static_cast<uint32_t>(unit.instructions.size());
    add(Op::label, {of(Operand::u, n)});
  }
  void end() {
    add(Op::return_, {});
    add(Op::int_code_end, {});
  }
  /// What the validator says, within the time.
  std::optional<LoadError> judged() {
    uint64_t before = processor_time();
    auto error = lay_out(&unit);
    if (!error) error = validate(&unit);
    CHECK(static_cast<double>(processor_time() - before) * 1e-9 < kLinear);
    return error;
  }

  CodeUnit unit;

 private:
  std::unique_ptr<BeamFile> file_ = std::make_unique<BeamFile>();
};

std::string big_endian(uint32_t n) {
  std::string s;
  for (int shift = 24; shift >= 0; shift -= 8) s += static_cast<char>(n >> shift);
  return s;
}

std::vector<uint8_t> file_of(std::initializer_list<std::pair<const char*, std::string>> chunks) {
  std::string body = "BEAM";
  for (auto& [id, data] : chunks) {
    body += id + big_endian(static_cast<uint32_t>(data.size())) + data;
    body.append(-data.size() & 3, '\0');
  }
  std::string file = "FOR1" + big_endian(static_cast<uint32_t>(body.size())) + body;
  return {file.begin(), file.end()};
}

}  // namespace

TEST_CASE("bounds: a function of a million instructions is looked at once") {
  LongFunction f(1);
  for (int n = 0; n < 1'000'000; ++n)
    f.add(Op::move, {LongFunction::x(0), LongFunction::x(static_cast<uint64_t>(n % 1000))});
  f.end();
  CHECK(!f.judged());
}

TEST_CASE("bounds: a million branches to one place, all registers in use") {
  constexpr uint64_t kRegisters = 1000;
  LongFunction f(1);
  for (uint64_t n = 1; n < kRegisters; ++n)
    f.add(Op::move, {LongFunction::x(0), LongFunction::x(n)});
  for (uint64_t n = 0; n < 1'000'000; ++n) {
    f.add(Op::move, {LongFunction::atom(), LongFunction::x(n % kRegisters)});
    f.add(Op::is_lt,
          {LongFunction::f(3), LongFunction::x(n * 7 % kRegisters), LongFunction::atom()});
  }
  f.label(3);
  f.end();
  auto error = f.judged();
  CHECK((error && error->rule == Rule::too_complex));
}

TEST_CASE("bounds: what is stored at labels has a limit") {
  constexpr uint64_t kRegisters = 1000, kLabels = 100'000;
  LongFunction f(1, kLabels);
  for (uint64_t n = 1; n < kRegisters; ++n)
    f.add(Op::move, {LongFunction::atom(), LongFunction::x(n)});
  for (uint64_t n = 0; n < kLabels; ++n) f.label(n + 3);
  f.end();
  auto error = f.judged();
  CHECK((error && error->rule == Rule::too_complex));
}

TEST_CASE("bounds: labels in circles") {
  constexpr uint64_t kLabels = 300'000;
  LongFunction f(0, kLabels);
  f.add(Op::jump, {LongFunction::f(3)});
  for (uint64_t n = 0; n < kLabels; ++n) {  // backwards: each label is reached by a later jump
    f.label(3 + (n * 7919) % kLabels);
    f.add(Op::jump, {LongFunction::f(3 + (n * 7919 + 1) % kLabels)});
  }
  f.end();
  auto error = f.judged();
  CHECK((error && error->rule == Rule::endless_loop));
}

TEST_CASE("bounds: jumps in a circle that many waits lead to") {
  LongFunction f(0);
  auto number = [](uint64_t n) { return LongFunction::of(Operand::u, n); };
  f.add(Op::jump, {LongFunction::f(4)});
  f.label(3);
  f.add(Op::jump, {LongFunction::f(3)});
  f.label(4);
  for (int n = 0; n < 20'000; ++n)
    f.add(Op::wait_timeout, {LongFunction::f(3), LongFunction::atom()});
  for (int n = 0; n < 50'000; ++n) f.add(Op::line, {number(0)});
  f.end();
  auto error = f.judged();
  CHECK((error && error->rule == Rule::too_complex));
}

TEST_CASE("bounds: a million labels in a row") {
  constexpr uint64_t kLabels = 1'000'000;
  LongFunction f(0, kLabels);
  for (uint64_t n = 0; n < kLabels; ++n) f.label(n + 3);
  f.add(Op::move, {LongFunction::atom(), LongFunction::x(0)});
  f.end();
  CHECK(!f.judged());
}

// What is reserved becomes less with each round, so there are as many as there are words.
TEST_CASE("bounds: what has no effect counts where it is gone through again and again") {
  LongFunction f(0);
  auto number = [](uint64_t n) { return LongFunction::of(Operand::u, n); };
  f.add(Op::test_heap, {number(1'000'000'000), number(0)});
  f.label(3);
  f.add(Op::put_list, {LongFunction::atom(), LongFunction::atom(), LongFunction::x(0)});
  SECTION("lines") {
    for (int n = 0; n < 1'000'000; ++n) f.add(Op::line, {number(0)});
  }
  SECTION("a long list") {
    std::vector<Operand> elements(1'000'000, LongFunction::atom());
    f.add(Op::put_tuple2, {LongFunction::x(1), f.list(std::move(elements))});
  }
  f.add(Op::jump, {LongFunction::f(3)});
  f.add(Op::int_code_end, {});
  auto error = f.judged();
  CHECK((error && error->rule == Rule::too_complex));
}

// The first learns that a function returns only when that has been looked at, and calls the next.
TEST_CASE("bounds: a long function that is looked at for each of those it calls") {
  constexpr uint32_t kFunctions = 20'000, kRest = 1'000'000;
  LongFunction f(0, 2 * kFunctions);
  BeamFile& file = const_cast<BeamFile&>(*f.unit.file);
  auto number = [](uint64_t n) { return LongFunction::of(Operand::u, n); };
  f.add(Op::allocate, {number(0), number(0)});
  for (uint32_t n = 0; n < kFunctions; ++n)
    f.add(Op::call, {number(0), LongFunction::f(4 + 2 * n)});
  f.add(Op::deallocate, {number(0)});
  for (uint32_t n = 0; n < kRest; ++n)
    f.add(Op::move, {LongFunction::x(0), LongFunction::x(n % 1000)});
  f.add(Op::return_, {});
  for (uint32_t n = 0; n < kFunctions; ++n) {
    f.label(3 + 2 * n);
    f.add(Op::func_info,
          {LongFunction::of(Operand::atom, file.module()), LongFunction::atom(), number(0)});
    f.label(4 + 2 * n);
    f.add(Op::move, {LongFunction::atom(), LongFunction::x(0)});
    f.add(Op::return_, {});
  }
  f.add(Op::int_code_end, {});
  file.function_count = kFunctions + 1;
  auto error = f.judged();
  CHECK((!error || error->rule == Rule::too_complex));
}

TEST_CASE("bounds: a choice of a million labels") {
  LongFunction f(1);
  std::vector<Operand> cases;
  for (uint64_t n = 0; n < 1'000'000; ++n) {
    cases.push_back(LongFunction::of(Operand::i, n));
    cases.push_back(LongFunction::f(3));
  }
  f.add(Op::select_val, {LongFunction::x(0), LongFunction::f(3), f.list(std::move(cases))});
  f.label(3);
  f.end();
  CHECK(!f.judged());
}

TEST_CASE("bounds: functions that call each other in circles") {
  constexpr uint32_t kFunctions = 20'000;
  LongFunction f(1, 2 * kFunctions);
  BeamFile& file = const_cast<BeamFile&>(*f.unit.file);
  f.add(Op::call_only, {LongFunction::of(Operand::u, 1), LongFunction::f(4)});
  for (uint32_t n = 0; n < kFunctions; ++n) {
    uint64_t info = 3 + 2 * n, next = n + 1 < kFunctions ? info + 3 : 2;
    f.label(info);
    f.add(Op::func_info, {LongFunction::of(Operand::atom, file.module()), LongFunction::atom(),
                          LongFunction::of(Operand::u, 1)});
    f.label(info + 1);
    f.add(Op::test_heap, {LongFunction::of(Operand::u, 2), LongFunction::of(Operand::u, 1)});
    f.add(Op::put_list, {LongFunction::atom(), LongFunction::x(0), LongFunction::x(0)});
    f.add(Op::call_only, {LongFunction::of(Operand::u, 1), LongFunction::f(next)});
  }
  f.add(Op::int_code_end, {});
  file.function_count = kFunctions + 1;
  CHECK(!f.judged());
}

TEST_CASE("bounds: tables of 2^32 entries are refused before they are made") {
  std::string many = big_endian(UINT32_MAX), none = big_endian(0), atoms = big_endian(1) + "\1m";
  std::string code = big_endian(16) + none + big_endian(180) + none + none + "\3";
  uint64_t before = processor_time();
  auto refused = [&](std::initializer_list<std::pair<const char*, std::string>> chunks) {
    auto file = parse_beam(file_of(chunks), "many");
    CHECK(!file);
  };
  refused({{"AtU8", many}, {"Code", code}, {"ImpT", none}, {"ExpT", none}});
  refused({{"AtU8", atoms}, {"Code", code}, {"ImpT", many}, {"ExpT", none}});
  refused({{"AtU8", atoms}, {"Code", code}, {"ImpT", none}, {"ExpT", many}});
  for (const char* id : {"FunT", "LocT"})
    refused({{"AtU8", atoms}, {"Code", code}, {"ImpT", none}, {"ExpT", none}, {id, many}});
  refused({{"AtU8", atoms}, {"Code", code}, {"ImpT", none}, {"ExpT", none}, {"LitT", none + many}});
  refused({{"AtU8", atoms}, {"Code", code}, {"ImpT", none}, {"ExpT", none}, {"LitT", many + many}});
  refused({{"AtU8", atoms},
           {"Code", code},
           {"ImpT", none},
           {"ExpT", none},
           {"Line", none + none + none + many + many}});
  // As many labels, functions and lines as a header may promise.
  std::string labels = big_endian(16) + none + big_endian(180) + many + many + "\3";
  refused({{"AtU8", atoms}, {"Code", labels}, {"ImpT", none}, {"ExpT", none}});
  CHECK(static_cast<double>(processor_time() - before) * 1e-9 < kLinear);
}
