// Instructions run one at a time, by hand-made words: every specialisation of an instruction does
// the same, wherever its operands are.
#include <catch2/catch.hpp>
#include <functional>
#include <memory>

#include "bytecode/instructions.h"
#include "loader/code_table.h"
#include "term/atom.h"
#include "term/number.h"
#include "vm/interp/interpreter.h"
#include "vm/machine/machine.h"
#include "vm/process/run.h"
#include "vm/process/spawn.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr unsigned kXs = 8, kYs = 4;

/// A process that never runs by itself, and an Exec to run instructions with.
class Instructions {
 public:
  Instructions() : vm_(new Machine(options())), scope_(vm_->instance), exec_(new Exec) {
    Term pid = spawn_process(*vm_, nullptr, am::lists, intern("seq"), kNil);
    exec_->vm = vm_.get();
    exec_->p = vm_->processes->find(pid);
    exec_->p->exec = exec_.get();
    exec_->set_e(exec_->e() - kYs);
    top_ = exec_->p->heap.top();
    reset();
  }
  ~Instructions() { exec_->p->exec = nullptr; }
  /// All registers have a number of their own; the heap is empty.
  void reset() {
    for (unsigned k = 0; k < kXs; ++k) exec_->x[k] = make_small(100 + k);
    for (unsigned k = 0; k < kYs; ++k) exec_->e()[k] = make_small(200 + k);
    exec_->fc = 1000;
    exec_->p->heap.top() = top_;
  }
  Term& x(unsigned k) { return exec_->x[k]; }
  Heap& heap() { return exec_->p->heap; }
  /// The register that operands of this kind mean here, the `which`-th of an instruction.
  static unsigned index(OperandKind k, unsigned which) {
    switch (k) {
      case OperandKind::x0:
      case OperandKind::x1:
      case OperandKind::x2:
        return static_cast<unsigned>(k);
      case OperandKind::x:
        return 3 + which;
      case OperandKind::y:
        return which;
      case OperandKind::c:
        break;
    }
    return 0;
  }
  Term& at(OperandKind k, unsigned which) {
    return k == OperandKind::y ? exec_->e()[index(k, which)] : exec_->x[index(k, which)];
  }
  /// One instruction with its words; true: it went on to the next one, false: to its label.
  bool run(unsigned handler, std::initializer_list<Word> operands, int label_at = -1) {
    const Word* t = vm_->code->handlers();
    const Word leave = t[info_of(Instr::leave).first_handler];
    std::vector<Word> words{t[handler]};
    words.insert(words.end(), operands);
    // What follows marks the way: move c x7.
    const OperandKind to_x[] = {OperandKind::c, OperandKind::x};
    const Word move = t[handler_index(Instr::move, to_x)];
    words.insert(words.end(), {move, make_small(1), 7 * sizeof(Term), leave});
    const size_t label = words.size();
    words.insert(words.end(), {move, make_small(2), 7 * sizeof(Term), leave});
    if (label_at >= 0) words[label_at] = reinterpret_cast<Word>(&words[label]);
    enter_interpreter(words.data(), exec_.get());
    REQUIRE((x(7) == make_small(1) || x(7) == make_small(2)));
    return x(7) == make_small(1);
  }
  static Word word(OperandKind k, unsigned which, Term constant) {
    return k == OperandKind::c ? constant : index(k, which) * sizeof(Term);
  }

 private:
  static VmOptions options() {
    VmOptions o;
    o.schedulers = 1;
    o.otp_root = "/usr/lib/erlang";
    o.jit = JitMode::off;
    return o;
  }
  MachinePtr vm_;
  InstanceScope scope_;
  std::unique_ptr<Exec> exec_;
  Term* top_ = nullptr;
};

/// f(handler, kinds) for every specialisation.
void each_variant(Instr i, const std::function<void(unsigned, const OperandKind*)>& f) {
  const InstrInfo& info = info_of(i);
  for (unsigned k = 0; k < shape_variants(info.shape); ++k) {
    const unsigned handler = info.first_handler + k;
    f(handler, kHandlerKinds[handler].kinds);
  }
}

}  // namespace

TEST_CASE("handlers: move and swap from anywhere to anywhere", "[handlers]") {
  Instructions in;
  each_variant(Instr::move, [&](unsigned handler, const OperandKind* k) {
    in.reset();
    const Term constant = am::true_;
    const Term value = k[0] == OperandKind::c ? constant : in.at(k[0], 0);
    in.run(handler, {in.word(k[0], 0, constant), in.word(k[1], 1, 0)});
    CHECK(in.at(k[1], 1) == value);
  });
  each_variant(Instr::swap, [&](unsigned handler, const OperandKind* k) {
    in.reset();
    const Term a = in.at(k[0], 0), b = in.at(k[1], 1);
    in.run(handler, {in.word(k[0], 0, 0), in.word(k[1], 1, 0)});
    CHECK(in.at(k[0], 0) == b);
    CHECK(in.at(k[1], 1) == a);
  });
}

TEST_CASE("handlers: arithmetic on two of any kind", "[handlers]") {
  Instructions in;
  struct Case {
    Instr instr;
    int64_t (*result)(int64_t, int64_t);
  };
  constexpr Case kCases[] = {
      {Instr::add, [](int64_t a, int64_t b) { return a + b; }},
      {Instr::sub, [](int64_t a, int64_t b) { return a - b; }},
      {Instr::mul, [](int64_t a, int64_t b) { return a * b; }},
      {Instr::div, [](int64_t a, int64_t b) { return a / b; }},
      {Instr::rem, [](int64_t a, int64_t b) { return a % b; }},
      {Instr::band, [](int64_t a, int64_t b) { return a & b; }},
      {Instr::bor, [](int64_t a, int64_t b) { return a | b; }},
      {Instr::bxor, [](int64_t a, int64_t b) { return a ^ b; }},
  };
  for (const Case& c : kCases) {
    each_variant(c.instr, [&](unsigned handler, const OperandKind* k) {
      for (int64_t a : {77, -3, 1}) {
        for (int64_t b : {5, -9}) {
          in.reset();
          if (k[0] != OperandKind::c) in.at(k[0], 0) = make_small(a);
          if (k[1] != OperandKind::c) in.at(k[1], 1) = make_small(b);
          // The same register twice has the second value.
          const bool same = k[0] == k[1] && k[0] <= OperandKind::x2;
          in.run(handler, {in.word(k[0], 0, make_small(a)), in.word(k[1], 1, make_small(b)),
                           in.word(k[2], 2, 0), 0, kXs});
          INFO(info_of(c.instr).name << " of " << a << " and " << b << ", handler " << handler);
          CHECK(in.at(k[2], 2) == make_small(c.result(same ? b : a, b)));
        }
      }
    });
  }
}

TEST_CASE("handlers: what overflows becomes a large integer", "[handlers]") {
  Instructions in;
  constexpr int64_t kMost = (int64_t{1} << 59) - 1;
  each_variant(Instr::add, [&](unsigned handler, const OperandKind* k) {
    in.reset();
    if (k[0] != OperandKind::c) in.at(k[0], 0) = make_small(kMost);
    if (k[1] != OperandKind::c) in.at(k[1], 1) = make_small(kMost);
    in.run(handler, {in.word(k[0], 0, make_small(kMost)), in.word(k[1], 1, make_small(kMost)),
                     in.word(k[2], 2, 0), 0, kXs});
    int64_t sum = 0;
    CHECK(to_int64(in.at(k[2], 2), &sum));
    CHECK(sum == 2 * kMost);
  });
}

TEST_CASE("handlers: comparisons go on or to their label", "[handlers]") {
  Instructions in;
  struct Case {
    Instr instr;
    bool (*holds)(int64_t, int64_t);
  };
  constexpr Case kCases[] = {
      {Instr::is_lt, [](int64_t a, int64_t b) { return a < b; }},
      {Instr::is_ge, [](int64_t a, int64_t b) { return a >= b; }},
      {Instr::is_eq, [](int64_t a, int64_t b) { return a == b; }},
      {Instr::is_ne, [](int64_t a, int64_t b) { return a != b; }},
      {Instr::is_eq_exact, [](int64_t a, int64_t b) { return a == b; }},
      {Instr::is_ne_exact, [](int64_t a, int64_t b) { return a != b; }},
  };
  for (const Case& c : kCases) {
    each_variant(c.instr, [&](unsigned handler, const OperandKind* k) {
      for (int64_t a : {-1, 0, 7}) {
        for (int64_t b : {0, 7, 8}) {
          in.reset();
          if (k[0] != OperandKind::c) in.at(k[0], 0) = make_small(a);
          if (k[1] != OperandKind::c) in.at(k[1], 1) = make_small(b);
          const bool same = k[0] == k[1] && k[0] <= OperandKind::x2;
          const bool went_on = in.run(
              handler, {in.word(k[0], 0, make_small(a)), in.word(k[1], 1, make_small(b)), 0}, 3);
          INFO(info_of(c.instr).name << " of " << a << " and " << b << ", handler " << handler);
          CHECK(went_on == c.holds(same ? b : a, b));
        }
      }
    });
  }
}

TEST_CASE("handlers: cons cells are made and taken apart", "[handlers]") {
  Instructions in;
  each_variant(Instr::put_list, [&](unsigned handler, const OperandKind* k) {
    in.reset();
    const Term first = k[0] == OperandKind::c ? am::true_ : in.at(k[0], 0);
    const Term rest = k[1] == OperandKind::c ? kNil : in.at(k[1], 1);
    in.run(handler, {in.word(k[0], 0, am::true_), in.word(k[1], 1, kNil), in.word(k[2], 2, 0)});
    const Term made = in.at(k[2], 2);
    REQUIRE(is_cons(made));
    CHECK(head(made) == first);
    CHECK(tail(made) == rest);
  });
  each_variant(Instr::get_list, [&](unsigned handler, const OperandKind* k) {
    in.reset();
    const bool same = in.word(k[1], 1, 0) == in.word(k[2], 2, 0) && k[1] == k[2];
    in.at(k[0], 0) = cons(in.heap(), am::true_, am::false_);
    in.run(handler, {in.word(k[0], 0, 0), in.word(k[1], 1, 0), in.word(k[2], 2, 0)});
    if (!same) CHECK(in.at(k[1], 1) == am::true_);
    if (!same) CHECK(in.at(k[2], 2) == am::false_);
  });
}

}  // namespace wb
