#include "tests/checking/checking_machine.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "term/atom.h"
#include "term/literal_area.h"
#include "tests/checking/belief_text.h"
#include "tests/checking/type_of_term.h"
#include "vm/interp/handler.h"
#include "vm/process/exec.h"
#include "vm/process/signal.h"

namespace wb {
namespace {

/// What a register that holds nothing is filled with: no term, no pointer, no return address.
constexpr Term kPoison = 0xdeaddeaddead00 | kXRefTag;
/// So many elements of a tuple are looked at.
constexpr uint64_t kElements = 8;

/// The fragments of the heap that this thread looked into last, by address: a receiver may have
/// ten thousand, and each instruction asks for where its terms are.
class FragmentIndex {
 public:
  bool contains(const ProcessHeap& heap, const Term* p) {
    if (!heap.fragments()) return false;
    follow(heap);
    auto next = words_at_.upper_bound(p);
    if (next == words_at_.begin()) return false;
    auto [begin, words] = *std::prev(next);
    return p < begin + words;
  }

 private:
  /// Fragments are added in front or behind the first, and all freed by a collection, which moves
  /// the young block or counts one more.
  void follow(const ProcessHeap& heap) {
    const HeapFragment *first = heap.fragments(), *second = first->next;
    bool same = heap_ == &heap && start_ == heap.start() && minor_ == heap.minor_since_major();
    if (same && first_ == first && second_ == second) return;
    const HeapFragment* f = first;
    while (f && f != second_) f = f->next;
    if (!same || f != second_) words_at_.clear(), f = nullptr;
    for (const HeapFragment* i = first; i != f; i = i->next) words_at_[i->data] = i->words;
    heap_ = &heap, start_ = heap.start(), minor_ = heap.minor_since_major();
    first_ = first, second_ = second;
  }

  const ProcessHeap* heap_ = nullptr;
  const Term* start_ = nullptr;
  uint32_t minor_ = 0;
  const HeapFragment *first_ = nullptr, *second_ = nullptr;
  std::map<const Term*, size_t> words_at_;
};

/// What this thread has found true since the process' last collection. A register or a stack slot
/// that holds what it held, of which as much is believed, is compared again after sixteen
/// instructions at the latest.
class RecentlyCompared {
 public:
  void begin(const Exec& c) {
    ProcessHeap& heap = c.p->heap;
    bool same = process_ == c.p && start_ == heap.start() && top_ <= heap.top() &&
                minor_ == heap.minor_since_major();
    times_ += same ? 1 : 16 - times_ % 16;
    process_ = c.p, start_ = heap.start(), top_ = heap.top(), minor_ = heap.minor_since_major();
  }
  bool has(const Term* at, const ValueType& t) {
    const Entry& e = entry(at);
    return e.at == at && e.value == *at && e.period == times_ / 16 && e.type == t;
  }
  void add(const Term* at, const ValueType& t) {
    if (!t.fragile()) entry(at) = {at, *at, times_ / 16, t};
  }

 private:
  struct Entry {
    const Term* at;
    Term value;
    uint64_t period;
    ValueType type;
  };
  Entry& entry(const Term* at) {
    return entries_[reinterpret_cast<Word>(at) / sizeof(Term) % entries_.size()];
  }
  const Process* process_ = nullptr;
  const Term *start_ = nullptr, *top_ = nullptr;
  uint32_t minor_ = 0;
  uint64_t times_ = 16;
  std::array<Entry, 256> entries_ = {};
};

thread_local RecentlyCompared recent;

/// A process' state beside what is believed of it.
class Comparison {
 public:
  Comparison(Exec& c, const Belief& b) : c_(c), p_(*c.p), heap_(c.p->heap), b_(b) {}
  void run() {
    recent.begin(c_);
    frame();
    registers();
    poison();
    rest();
  }

 private:
  void frame();
  void registers();
  void poison();
  void rest();
  void slot(char file, size_t n, const ValueType& t, const Term* at);
  const char* differs(const ValueType& t, Term v) const;
  const char* parts_differ(Term v) const;
  const char* part_differs(Term v) const;
  bool is_mine(Term v) const;
  [[noreturn]] void report(const std::string& where, const std::string& belief,
                           const std::string& found) const;

  Exec& c_;
  Process& p_;
  ProcessHeap& heap_;
  const Belief& b_;
};

void Comparison::report(const std::string& where, const std::string& belief,
                        const std::string& found) const {
  fmt::print(stderr,
             "\nchecking machine: {}:{}/{}, instruction {} ({}): {}: believed {}; found {}\n",
             atom_text(b_.module), atom_text(b_.function), b_.arity, b_.instruction, op_name(b_.op),
             where, belief, found);
  fflush(stderr);
  abort();
}

/// In the process' own heap, or a literal.
bool Comparison::is_mine(Term v) const {
  const Term* at = pointer_of(v);
  if (reinterpret_cast<Word>(at) % sizeof(Word)) return false;
  if (in_literal_range(at)) return true;
  if (at >= heap_.start() && at < heap_.top()) return true;
  const Term* old = heap_.old_start();
  if (old && at >= old && at < old + heap_.old_used_words()) return true;
  thread_local FragmentIndex fragments;
  return fragments.contains(heap_, at);
}

/// What is wrong with a part of a term; null: nothing.
const char* Comparison::part_differs(Term v) const {
  if (is_pointer(v) && !is_mine(v) && !p_.peeked) return "a part of it points outside";
  Kinds k = kinds_of(v);
  if (k & kinds::context) return "a match context is part of it";
  return k && !(k & kinds::tag) ? nullptr : "a part of it is no term";
}

const char* Comparison::parts_differ(Term v) const {
  if (is_cons(v)) {
    const char* wrong = part_differs(head(v));
    return wrong ? wrong : part_differs(tail(v));
  }
  const Term *at = nullptr, *end = nullptr;
  if (is_tuple(v)) {
    at = tuple_elements(v), end = at + std::min(tuple_arity(v), kElements);
  } else if (is_kind(v, Kind::fun)) {
    at = boxed_ptr(v) + 4, end = boxed_ptr(v) + 1 + header_size(header_of(v));
  } else if (is_flatmap(v)) {
    at = boxed_ptr(v) + 1, end = boxed_ptr(v) + 1 + header_size(header_of(v));
  }
  for (; at < end; ++at)
    if (const char* wrong = part_differs(*at)) return wrong;
  if (is_float(v) && !std::isfinite(float_value(v))) return "a float that is not finite";
  return nullptr;
}

/// What is wrong with a value that is believed to be of type `t`; null: nothing.
const char* Comparison::differs(const ValueType& t, Term v) const {
  if (is_pointer(v) && !is_mine(v) && !(t.fragile() && p_.peeked)) return "points outside the heap";
  Kinds k = kinds_of(v);
  if (!k) return "no term";
  if (!(k & t.kinds)) return "of another kind";
  if (!belongs(v, t)) return "of another size, arity or value";
  if (is_pointer(v) && (t.flags & ValueType::kConstant) && !in_literal_range(pointer_of(v)))
    return "no literal";
  return t.fragile() ? nullptr : parts_differ(v);
}

void Comparison::slot(char file, size_t n, const ValueType& t, const Term* at) {
  if (recent.has(at, t)) return;
  const Term value = *at;
  if (const char* wrong = differs(t, value)) {
    bool somewhere = is_pointer(value) && is_mine(value);
    report(fmt::format("{}{}", file, n), belief_text(t),
           fmt::format("{}: {}", word_text(value, somewhere), wrong));
  }
  recent.add(at, t);
}

void Comparison::frame() {
  const Term *e = c_.e(), *base = heap_.stack_base();
  uint32_t size = b_.state.frame();
  if (size == kUnknownFrame) return;
  if (size == kNoFrame) size = 0;
  if (e + size >= base || !is_code(e[size]))
    report("frame", fmt::format("{} y registers and then a return address", size),
           e + size >= base ? "the end of the stack" : word_text(e[size], false));
}

void Comparison::registers() {
  for (const Holder& h : b_.x) slot('x', h.number, h.type, &c_.x[h.number]);
  for (const Holder& h : b_.y) slot('y', h.number, h.type, &c_.e()[h.number]);
}

void Comparison::poison() {
  for (uint16_t i : b_.empty_x) c_.x[i] = kPoison;
  if (!b_.whole) return;
  for (uint32_t i = 0; i < b_.float_limit; ++i)
    if (!b_.state.has_float(i)) c_.f[i] = std::numeric_limits<double>::quiet_NaN();
}

void Comparison::rest() {
  for (uint32_t i = 0; i < b_.float_limit; ++i)
    if (b_.state.has_float(i) && !std::isfinite(c_.f[i]))
      report(fmt::format("fr{}", i), "a float", fmt::format("{}", c_.f[i]));
  const HeapNeed& need = b_.state.heap;
  int64_t words = int64_t{need.words} + need.floats * 2 + need.funs * 4;
  // Where nothing is reserved a call may have pushed its return address already.
  if (heap_.free_words() < (words ? words : -kCallSlack))
    report("heap", fmt::format("{} words reserved", words), fmt::format("{}", heap_.free_words()));
  if (b_.state.has_message && !b_.state.may_have_moved && !(p_.peeked && *p_.save))
    report("queue", "a message is looked at", "none");
}

const Word* op_check_state(Exec& c, const Word* I) {
  instr::check_state in{I};
  CheckingMachine::check(c, *reinterpret_cast<const Belief*>(in.belief()));
  return in.after();
}

/// The state before each instruction of a module that is being loaded.
class Recorder final : public Beliefs {
 public:
  explicit Recorder(const CodeUnit& unit) : unit_(unit) { of_.resize(unit.instructions.size()); }
  ~Recorder() override { CheckingMachine::get().keep(std::move(of_)); }
  void observe(uint32_t instruction, const FlowState& state) override;
  Word before(uint32_t instruction) override;

 private:
  struct Limits {
    uint32_t x = 0, floats = 0;
    void see(const Operand& o);
  };
  const Limits& limits_of(const CodeFunction& f);

  const CodeUnit& unit_;
  std::vector<std::unique_ptr<Belief>> of_;
  const CodeFunction* measured_ = nullptr;
  Limits limits_;
};

void Recorder::Limits::see(const Operand& o) {
  auto n = static_cast<uint32_t>(o.value) + 1;
  if (o.type == Operand::x) x = std::max(x, n);
  if (o.type == Operand::fr) floats = std::max(floats, n);
}

const Recorder::Limits& Recorder::limits_of(const CodeFunction& f) {
  if (measured_ == &f) return limits_;
  measured_ = &f;
  limits_ = {.x = f.arity + 4};  // x3 of an exception's four, and some that no instruction names
  for (uint32_t i = f.begin; i < f.end; ++i) {
    for (const Operand& o : unit_.operands_of(unit_.instructions[i])) {
      limits_.see(o);
      if (o.type == Operand::list)
        for (const Operand& element : unit_.list_of(o)) limits_.see(element);
    }
  }
  return limits_;
}

void Recorder::observe(uint32_t instruction, const FlowState& state) {
  std::unique_ptr<Belief>& belief = of_[instruction];
  if (!belief) {
    const CodeFunction& f = unit_.function_at(instruction);
    Op op = unit_.instructions[instruction].op;
    const Limits& limits = limits_of(f);
    belief = std::make_unique<Belief>(Belief{.module = unit_.file->module(),
                                             .function = f.name,
                                             .arity = f.arity,
                                             .instruction = instruction - f.begin,
                                             .op = op,
                                             .whole = op != Op::wait_timeout,
                                             .x_limit = static_cast<uint16_t>(limits.x),
                                             .float_limit = static_cast<uint16_t>(limits.floats),
                                             .state = {},
                                             .x = {},
                                             .y = {},
                                             .empty_x = {}});
  }
  belief->state = state;
}

static std::vector<Holder> holders_of(const std::vector<Slot>& slots) {
  std::vector<Holder> holders;
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].type.exists()) holders.push_back({static_cast<uint16_t>(i), slots[i].type});
  return holders;
}

static void list_registers(Belief& b) {
  b.y = holders_of(b.state.y());
  if (!b.whole) return;
  b.x = holders_of(b.state.x());
  b.empty_x.clear();
  for (uint16_t i = 0; i < b.x_limit; ++i)
    if (!b.state.x_type(i).exists()) b.empty_x.push_back(i);
}

/// None before those that an exception or a failed clause leads to: what they find is no term yet,
/// and who looks for a handler knows it by its first instruction.
Word Recorder::before(uint32_t instruction) {
  Belief* belief = of_[instruction].get();
  if (!belief || op_has(belief->op, kNoOperation)) return 0;
  switch (belief->op) {
    case Op::label:
    case Op::line:
    case Op::func_info:
    case Op::on_load:
    case Op::try_case:
    case Op::catch_end:
      return 0;
    default:
      list_registers(*belief);
      return reinterpret_cast<Word>(belief);
  }
}

}  // namespace

CheckingMachine& CheckingMachine::get() {
  static CheckingMachine machine;
  return machine;
}

void CheckingMachine::keep(std::vector<std::unique_ptr<Belief>> beliefs) {
  std::lock_guard lock(lock_);
  for (auto& belief : beliefs)
    if (belief) kept_.push_back(std::move(belief));
}

void CheckingMachine::check(Exec& c, const Belief& belief) { Comparison(c, belief).run(); }

void install_check_state(Word* t, bool) {
  set_slow(t, Instr::check_state, &slow_handler<op_check_state>);
}

std::unique_ptr<Beliefs> believe(const CodeUnit& unit) { return std::make_unique<Recorder>(unit); }

}  // namespace wb
