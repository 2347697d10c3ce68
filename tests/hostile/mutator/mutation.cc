#include "tests/hostile/mutator/mutation.h"

#include <fmt/format.h>

#include "term/atom.h"

namespace wb::mutator {
namespace {

constexpr uint32_t kManyOpcodes = 191;

class Mutator {
 public:
  Mutator(const EditableModule& m, uint64_t seed) : m_(m), random_(seed) {
    for (uint32_t k = 0; k < m.pieces().size(); ++k) order_.push_back(static_cast<int>(k));
  }
  Mutant run();

 private:
  using Function = EditableModule::Function;
  // --- chance ------------------------------------------------------------------------------------
  uint64_t below(uint64_t n) { return n ? random_() % n : 0; }
  bool one_in(uint64_t n) { return below(n) == 0; }
  template <class T>
  const T& any_of(const std::vector<T>& v) {
    return v[below(v.size())];
  }

  // --- operands ----------------------------------------------------------------------------------
  static Arg make(Operand::Type type, uint64_t value);
  Arg x() { return make(Operand::x, one_in(20) ? below(1024) : below(6)); }
  Arg y() { return make(Operand::y, one_in(20) ? below(30) : below(5)); }
  Arg atom() { return make(Operand::atom, any_of(m_.file().atoms)); }
  Arg source(const Function& f);
  Arg number();
  Arg label(const Function& f) {
    return make(Operand::f,
                f.labels.empty() || one_in(20) ? below(m_.file().label_count) : any_of(f.labels));
  }
  Arg of_letter(char letter, uint8_t op, const Function& f);
  Arg list(uint8_t op, const Function& f);
  Arg any(const Function& f);
  void change(Arg* a, char letter, uint8_t op, const Function& f);
  void change_list(Arg* a, uint8_t op, const Function& f);

  // --- pieces ------------------------------------------------------------------------------------
  const Piece& piece(int k) const {
    return k >= 0 ? m_.pieces()[static_cast<size_t>(k)] : fresh_[static_cast<size_t>(-k - 1)];
  }
  int add(Piece p) {
    fresh_.push_back(std::move(p));
    return -static_cast<int>(fresh_.size());
  }
  /// A place in the code, and its function.
  size_t place(const Function** f);
  Piece gadget(const Function& f);
  void operand_changed();
  void instruction_moved();
  void opcode_changed();
  void gadgets_put();
  void lie();
  void say(const std::string& what) { what_ += (what_.empty() ? "" : "; ") + what; }
  static std::string name_of(uint8_t op) {
    return op && op <= kMaxOp ? std::string(op_table[op].name) : fmt::format("opcode {}", op);
  }

  const EditableModule& m_;
  std::mt19937_64 random_;
  std::vector<int> order_;
  std::vector<Piece> fresh_;
  std::vector<EditableModule::Replaced> chunks_;
  std::string what_;
  std::vector<std::pair<Term, uint32_t>> changed_;
};

Arg Mutator::make(Operand::Type type, uint64_t value) {
  Arg a;
  a.o.type = type;
  a.o.value = value;
  return a;
}

Arg Mutator::number() {
  static constexpr uint64_t kNumbers[] = {0,
                                          1,
                                          2,
                                          3,
                                          4,
                                          5,
                                          7,
                                          8,
                                          16,
                                          31,
                                          32,
                                          64,
                                          255,
                                          256,
                                          257,
                                          1023,
                                          1024,
                                          65536,
                                          (1 << 24) - 1,
                                          1 << 24,
                                          UINT32_MAX,
                                          uint64_t{1} << 32,
                                          INT64_MAX,
                                          UINT64_MAX};
  return make(Operand::u, one_in(3) ? kNumbers[below(std::size(kNumbers))] : below(6));
}

Arg Mutator::source(const Function& f) {
  switch (below(10)) {
    case 0:
      return atom();
    case 1:
      return make(Operand::i, one_in(3) ? static_cast<uint64_t>(-1) << below(63) : below(9));
    case 2:
      return make(Operand::nil, 0);
    case 3:
      if (!m_.file().literals.empty())
        return make(Operand::literal, below(m_.file().literals.size()));
      [[fallthrough]];
    case 4:
    case 5:
    case 6:
      return x();
    case 7:
    case 8:
      return y();
    default:
      return f.pool.empty() ? x() : any_of(f.pool);
  }
}

Arg Mutator::any(const Function& f) {
  switch (below(6)) {
    case 0:
      return number();
    case 1:
      return label(f);
    case 2:
      return make(Operand::fr, below(4));
    case 3:
      return f.pool.empty() ? number() : any_of(f.pool);
    default:
      return source(f);
  }
}

/// An operand as a letter of opcodes.def says.
Arg Mutator::of_letter(char letter, uint8_t op, const Function& f) {
  switch (letter) {
    case 's':
      return source(f);
    case 'S':
    case 'd':
      return one_in(3) ? y() : x();
    case 'y':
      return y();
    case 'q':
      return one_in(2) ? make(Operand::fr, below(4)) : source(f);
    case 'r':
      return one_in(2) ? make(Operand::fr, below(4)) : x();
    case 'l':
      return make(Operand::fr, below(4));
    case 'f':
      return label(f);
    case 'j':
      return one_in(2) ? make(Operand::f, 0) : label(f);
    case 'k':
      return one_in(3) ? make(Operand::atom, one_in(2) ? am::no_fail : am::resume) : label(f);
    case 'g':
      return one_in(2) ? atom() : make(Operand::u, below(m_.file().lambdas.size()));
    case 'b':
      return one_in(2) ? number() : source(f);
    case 'a':
      return atom();
    case 'h': {
      Arg a = make(one_in(2) ? Operand::alloc : Operand::u, below(8));
      if (a.o.type == Operand::alloc)
        a.need = {static_cast<uint32_t>(below(8)), static_cast<uint32_t>(below(3)),
                  static_cast<uint32_t>(below(3))};
      return a;
    }
    case 'I':
      return make(Operand::u, below(m_.file().imports.size()));
    case 'L':
      return make(Operand::u, below(m_.file().lambdas.size()));
    case 'e':
      return make(Operand::u, below(m_.file().lines.size()));
    case 'o':
      return make(Operand::u, below(m_.file().strings.size() + 1));
    case 'n':
      return make(Operand::u, below(m_.file().label_count));
    case 't':
    case 'w':
      return make(Operand::u, one_in(30) ? below(1030) : below(6));
    case 'z':
      return list(op, f);
    default:
      return number();
  }
}

/// A list that could be one of that instruction.
Arg Mutator::list(uint8_t op, const Function& f) {
  if (!m_.lists_of(op).empty() && !one_in(3)) {
    Arg a = any_of(m_.lists_of(op));
    if (one_in(2)) change_list(&a, op, f);
    return a;
  }
  Arg a = make(Operand::list, 0);
  auto add = [&](const Arg& e) {
    if (e.o.type != Operand::list && e.o.type != Operand::alloc) a.elements.push_back(e.o);
  };
  for (uint64_t n = below(4); n > 0; --n) {
    switch (static_cast<Op>(op)) {
      case Op::select_val:
        add(source(f)), add(label(f));
        break;
      case Op::select_tuple_arity:
        add(number()), add(label(f));
        break;
      case Op::get_map_elements:
        add(source(f)), add(one_in(3) ? y() : x());
        break;
      case Op::get_record_elements:
        add(atom()), add(one_in(3) ? y() : x());
        break;
      case Op::put_record:
        add(atom()), add(source(f));
        break;
      case Op::init_yregs:
        add(y());
        break;
      case Op::update_record:
        add(make(Operand::u, 1 + below(5))), add(source(f));
        break;
      case Op::bs_create_bin: {
        static constexpr Term kTypes[] = {am::integer, am::binary,         am::float_,
                                          am::utf8,    am::utf16,          am::utf32,
                                          am::append,  am::private_append, am::string};
        Term type = kTypes[below(std::size(kTypes))];
        bool text = type == am::string;
        add(make(Operand::atom, type)), add(make(Operand::u, n));
        add(make(Operand::u, one_in(2) ? 1 : 8)), add(make(Operand::nil, 0));
        add(text ? make(Operand::u, below(9)) : source(f));
        add(text        ? make(Operand::u, below(9))
            : one_in(2) ? make(Operand::atom, am::all)
                        : make(Operand::i, below(70)));
        break;
      }
      case Op::bs_match: {
        auto live = [&] { return make(Operand::u, below(5)); };
        switch (below(7)) {
          case 0:
            add(make(Operand::atom, am::ensure_at_least)), add(number()), add(number());
            break;
          case 1:
            add(make(Operand::atom, one_in(2) ? am::ensure_exactly : am::skip)), add(number());
            break;
          case 2:
            add(make(Operand::atom, am::eq_exact)), add(one_in(2) ? make(Operand::nil, 0) : live());
            add(number()), add(number());
            break;
          case 3:
            add(make(Operand::atom, am::get_tail)), add(live()), add(number()), add(x());
            break;
          default:
            add(make(Operand::atom, one_in(2) ? am::integer : am::binary)), add(live());
            add(make(Operand::nil, 0)), add(number()), add(number()), add(one_in(3) ? y() : x());
        }
        break;
      }
      default:
        add(source(f)), add(source(f));
    }
  }
  return a;
}

void Mutator::change_list(Arg* a, uint8_t op, const Function& f) {
  auto& e = a->elements;
  size_t at = below(e.size());
  switch (below(e.empty() ? 1 : 6)) {
    case 0: {
      Arg more = source(f);
      if (more.o.type != Operand::list && more.o.type != Operand::alloc)
        e.insert(e.begin() + static_cast<ptrdiff_t>(at), more.o);
      return;
    }
    case 1:
      e.erase(e.begin() + static_cast<ptrdiff_t>(at));
      return;
    case 2:
      std::swap(e[at], e[below(e.size())]);
      return;
    default: {
      Arg element{e[at], {}, {}};
      change(&element, 0, op, f);
      if (element.o.type != Operand::list && element.o.type != Operand::alloc) e[at] = element.o;
    }
  }
}

/// Another operand in its place; `letter` 0: any will do.
void Mutator::change(Arg* a, char letter, uint8_t op, const Function& f) {
  Operand& o = a->o;
  switch (o.type) {
    case Operand::list:
      return change_list(a, op, f);
    case Operand::alloc: {
      uint32_t* which[] = {&a->need.words, &a->need.floats, &a->need.funs};
      uint32_t& n = *which[below(3)];
      n = one_in(2) || !n ? n + 1 : n - 1;
      return;
    }
    case Operand::x:
    case Operand::y:
      if (one_in(3)) {
        o.value = one_in(2) || !o.value ? o.value + 1 : o.value - 1;
        if (o.value >= kMaxRegisters) o.value = 0;
        return;
      }
      if (one_in(4) && !m_.file().types.empty()) {
        o.hint = static_cast<uint16_t>(below(m_.file().types.size()));
        return;
      }
      break;
    case Operand::u:
    case Operand::i:
    case Operand::fr:
      if (!one_in(3)) {
        o.value = one_in(2) || !o.value ? o.value + 1 : o.value - 1;
        return;
      }
      if (letter == 0) {
        uint64_t n = number().o.value;
        o.value = n;
        return;
      }
      break;
    default:
      break;
  }
  *a = one_in(8) || letter == 0 ? any(f) : of_letter(letter, op, f);
}

size_t Mutator::place(const Function** f) {
  size_t at = below(order_.size() - 1);
  *f = nullptr;
  for (size_t k = at + 1; k-- > 0;) {
    if (order_[k] < 0) continue;
    auto n = static_cast<uint32_t>(order_[k]);
    for (const Function& function : m_.functions())
      if (n >= function.begin && n < function.end) *f = &function;
    break;
  }
  if (!*f) *f = &m_.functions()[0];
  changed_.emplace_back((*f)->name, (*f)->arity);
  return at;
}

void Mutator::operand_changed() {
  const Function* f;
  for (int tries = 0; tries < 20; ++tries) {
    size_t at = place(&f);
    Piece p = piece(order_[at]);
    bool boring = p.op == static_cast<uint8_t>(Op::line) ||
                  p.op == static_cast<uint8_t>(Op::func_info) ||
                  p.op == static_cast<uint8_t>(Op::label);
    if (p.args.empty() || (boring && !one_in(30))) continue;
    size_t n = below(p.args.size());
    std::string_view letters = p.op <= kMaxOp ? op_table[p.op].operands : std::string_view();
    change(&p.args[n], n < letters.size() ? letters[n] : 0, p.op, *f);
    say(fmt::format("operand {} of {} at {} is another", n, name_of(p.op), at));
    order_[at] = add(std::move(p));
    return;
  }
}

void Mutator::instruction_moved() {
  const Function* f;
  size_t at = place(&f);
  std::string name = name_of(piece(order_[at]).op);
  auto begin = order_.begin();
  auto here = begin + static_cast<ptrdiff_t>(at);
  switch (below(4)) {
    case 0:
      say(fmt::format("{} at {} is left out", name, at));
      order_.erase(here);
      return;
    case 1:
      say(fmt::format("{} at {} is there twice", name, at));
      order_.insert(here, int{*here});
      return;
    case 2: {
      size_t to = std::min(order_.size() - 2, at + 1 + below(6));
      say(fmt::format("{} at {} stands at {}", name, at, to));
      int k = *here;
      order_.erase(here);
      order_.insert(order_.begin() + static_cast<ptrdiff_t>(to), k);
      return;
    }
    default:
      say(fmt::format("{} at {} stands behind the next", name, at));
      if (at + 2 < order_.size()) std::swap(order_[at], order_[at + 1]);
  }
}

void Mutator::opcode_changed() {
  const Function* f;
  size_t at = place(&f);
  Piece p = piece(order_[at]);
  std::vector<uint8_t> alike;
  for (unsigned op = 1; op <= kMaxOp; ++op)
    if (!op_has(static_cast<Op>(op), kObsolete) && op_table[op].arity == p.args.size() &&
        op != p.op)
      alike.push_back(static_cast<uint8_t>(op));
  if (alike.empty()) return;
  uint8_t op = any_of(alike);
  for (int tries = 0; tries < 12 && op_table[op].operands != op_table[p.op].operands; ++tries)
    op = any_of(alike);
  say(fmt::format("{} at {} becomes {}", name_of(p.op), at, name_of(op)));
  std::string_view letters = op_table[op].operands;
  for (size_t n = 0; n < p.args.size(); ++n)
    if (letters[n] != op_table[p.op].operands[n]) p.args[n] = of_letter(letters[n], op, *f);
  p.op = op;
  order_[at] = add(std::move(p));
}

Piece Mutator::gadget(const Function& f) {
  Piece p;
  p.op = static_cast<uint8_t>(1 + below(one_in(50) ? kManyOpcodes : kMaxOp));
  if (p.op > kMaxOp) return p;
  while (!one_in(200) &&
         (op_has(static_cast<Op>(p.op), kObsolete) || p.op == static_cast<uint8_t>(Op::label)))
    p.op = static_cast<uint8_t>(1 + below(kMaxOp));
  for (char letter : op_table[p.op].operands) p.args.push_back(of_letter(letter, p.op, f));
  return p;
}

void Mutator::gadgets_put() {
  const Function* f;
  size_t at = place(&f);
  std::string names;
  for (uint64_t n = 1 + below(3); n > 0; --n) {
    Piece p = gadget(*f);
    names += " " + name_of(p.op);
    order_.insert(order_.begin() + static_cast<ptrdiff_t>(at), add(std::move(p)));
  }
  say(fmt::format("put at {}:{}", at, names));
}

void Mutator::lie() {
  static constexpr const char* kChunks[] = {"Type", "FunT", "Line", "LitT", "Recs",
                                            "ExpT", "StrT", "LocT", "Meta"};
  std::string id = kChunks[below(std::size(kChunks))];
  std::string data = m_.chunk(id);
  if (id == "Type" && data.size() > 8) {  // other types for all registers
    size_t at = 8 + below(data.size() - 8);
    data[at] = static_cast<char>(random_());
  } else if (data.size() > 4) {
    size_t at = one_in(10) ? below(4) : 4 + below(data.size() - 4);
    data[at] = one_in(2) ? static_cast<char>(data[at] + (one_in(2) ? 1 : -1))
                         : static_cast<char>(random_());
  } else {
    data = std::string("\0\0\0\1\0\0\0\1", 8);
  }
  say(fmt::format("a byte of {} is another", id));
  chunks_.push_back({id, data});
}

Mutant Mutator::run() {
  for (uint64_t n = 1 + (one_in(3) ? 1 + below(2) : 0); n > 0; --n) {
    switch (below(16)) {
      case 0:
        lie();
        break;
      case 1:
      case 2:
        opcode_changed();
        break;
      case 3:
      case 4:
      case 5:
        instruction_moved();
        break;
      case 6:
      case 7:
      case 8:
      case 9:
        gadgets_put();
        break;
      default:
        operand_changed();
    }
  }
  // All functions can be called; but nothing is known of arguments then.
  if (one_in(2)) chunks_.push_back({"ExpT", m_.all_exports()}), say("all exported");
  std::string code;
  for (int k : order_) code += k >= 0 ? m_.bytes(static_cast<uint32_t>(k)) : m_.encode(piece(k));
  return {m_.file_with(code, chunks_), what_, changed_};
}

}  // namespace

Mutant make_mutant(const EditableModule& module, uint64_t seed, uint64_t number) {
  uint64_t mixed = (seed * 0x9e3779b97f4a7c15 ^ number) * 0xbf58476d1ce4e5b9;
  return Mutator(module, mixed ^ mixed >> 29).run();
}

}  // namespace wb::mutator
