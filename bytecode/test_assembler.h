// For tests: modules written as text, in the disassembler's notation.
//
//   function f/1        a func_info (labelled L100, L200 ...) and the entry label L101, L201 ...
//   L1: move x0, y0     registers x y fr, labels L (- for none), atoms, integers, [], lists
//   call_ext 1, m:f/1   imports are made as needed
//   move literal 0, x0  literal 0 is {a,b}, 1 is [a], 2 is #{}, 3 is <<>>, 4 is 1.0,
//                       5 is [signed,little]
//   test_heap 3/1/1, 0  3 words, 1 float, 1 fun; u2 in a list is a plain number
// Every function is exported, but those whose name begins with "local". Lambda i is function i of
// the module without free variables; lambdas beyond `funs` do not exist.
#pragma once

#include <charconv>
#include <memory>
#include <sstream>

#include "bytecode/code_layout.h"
#include "term/atom.h"

namespace wb {

class TestModule {
 public:
  explicit TestModule(std::string_view source, size_t funs = 0) {
    file_->name = "test";
    file_->atoms = {kNil, intern("test")};
    file_->lines = {{0, 0}};
    file_->line_files = {"test.erl"};
    static const uint8_t kLiterals[][10] = {{131, 104, 2, 119, 1, 'a', 119, 1, 'b'},
                                            {131, 108, 0, 0, 0, 1, 119, 1, 'a', 106},
                                            {131, 116, 0, 0, 0, 0},
                                            {131, 109, 0, 0, 0, 0},
                                            {131, 70, 0x3f, 0xf0}};
    for (auto& literal : kLiterals) file_->literals.push_back(literal);
    static const uint8_t kFlags[] = {131, 108, 0,   0, 0,   2,   119, 6,   's', 'i', 'g', 'n',
                                     'e', 'd', 119, 6, 'l', 'i', 't', 't', 'l', 'e', 106};
    file_->literals.push_back(kFlags);
    file_->strings = kLiterals[0];
    unit.file = file_.get();
    unit.labels.assign(10000, kNoInstruction);
    std::istringstream in{std::string(source)};
    for (std::string line; std::getline(in, line);) this->line(line);
    emit("int_code_end", {});
    export_all(funs);
    layout_error = lay_out(&unit);
  }

  CodeUnit unit;
  std::optional<LoadError> layout_error;
  BeamFile& file() { return *file_; }

 private:
  struct Declared {
    Term name;
    uint32_t arity, label;
    bool local;
  };

  void line(std::string_view s) {
    s = trimmed(s);
    if (s.empty()) return;
    if (s.starts_with("function ")) return function(s.substr(9));
    if (s[0] == 'L' && s.find(':') != s.npos && s.find(':') < 6) {
      emit("label", s.substr(1, s.find(':') - 1));
      return line(s.substr(s.find(':') + 1));
    }
    size_t space = std::min(s.find(' '), s.size());
    emit(s.substr(0, space), s.substr(space));
  }
  void function(std::string_view s) {
    size_t slash = s.find('/');
    std::string name(s.substr(0, slash)), n = std::to_string(100 * (functions_.size() + 1));
    uint32_t label = static_cast<uint32_t>(100 * (functions_.size() + 1) + 1);
    functions_.push_back({intern(name), static_cast<uint32_t>(number(s.substr(slash + 1))), label,
                          name.starts_with("local")});
    emit("label", n);
    emit("func_info", "test, " + name + ", " + std::string(s.substr(slash + 1)));
    emit("label", std::to_string(label));
  }
  void emit(std::string_view name, std::string_view text) {
    uint8_t op = 1;
    while (op_table[op].name != name) WB_CHECK(++op <= kMaxOp);
    Instruction in{static_cast<Op>(op), 0, static_cast<uint32_t>(unit.operands.size()),
                   static_cast<uint32_t>(unit.instructions.size())};
    std::vector<Operand> operands;
    for (char letter : op_table[op].operands) operands.push_back(operand(letter, &text));
    WB_CHECK(trimmed(text).empty());
    if (in.op == Op::label)
      unit.labels[operands[0].value] = static_cast<uint32_t>(unit.instructions.size());
    unit.operands.insert(unit.operands.end(), operands.begin(), operands.end());
    unit.instructions.push_back(in);
  }
  Operand operand(char letter, std::string_view* text) {
    std::string_view s = trimmed(*text);
    if (letter == 'z') return list(s, text);
    size_t comma = std::min(s.find(','), s.size());
    *text = s.substr(std::min(comma + 1, s.size()));
    return simple(letter, trimmed(s.substr(0, comma)));
  }
  Operand list(std::string_view s, std::string_view* text) {
    WB_CHECK(s[0] == '[');
    size_t close = s.rfind(']');
    std::string_view inside = trimmed(s.substr(1, close - 1));
    *text = trimmed(s.substr(close + 1));
    Operand o;
    o.type = Operand::list;
    std::vector<Operand> elements;
    while (!inside.empty()) elements.push_back(operand('e', &inside));
    o.value = unit.list_elements.size();
    o.count = static_cast<uint32_t>(elements.size());
    unit.list_elements.insert(unit.list_elements.end(), elements.begin(), elements.end());
    return o;
  }
  Operand simple(char letter, std::string_view s) {
    if (s == "-") return make(Operand::f, 0);
    if (s == "[]") return make(Operand::nil, 0);
    if (letter == 'I') return import(s);
    if (letter == 'h') return heap(s);
    if (s.starts_with("literal ")) return make(Operand::literal, number(s.substr(8)));
    if (s.starts_with("fr")) return make(Operand::fr, number(s.substr(2)));
    bool digits = s.size() > 1 && s[1] >= '0' && s[1] <= '9';
    if (digits && s[0] == 'x') return make(Operand::x, number(s.substr(1)));
    if (digits && s[0] == 'y') return make(Operand::y, number(s.substr(1)));
    if (digits && s[0] == 'u') return make(Operand::u, number(s.substr(1)));
    if (digits && s[0] == 'L') return make(Operand::f, number(s.substr(1)));
    bool plain = s[0] == '-' || (s[0] >= '0' && s[0] <= '9');
    if (!plain) return make(Operand::atom, intern(s));
    bool integer = letter == 's' || letter == 'q' || letter == 'e' || letter == 'b';
    return make(integer ? Operand::i : Operand::u, number(s));
  }
  Operand heap(std::string_view s) {
    HeapNeed need;
    sscanf(std::string(s).c_str(), "%u/%u/%u", &need.words, &need.floats, &need.funs);
    unit.heap_needs.push_back(need);
    return make(Operand::alloc, unit.heap_needs.size() - 1);
  }
  Operand import(std::string_view s) {
    size_t colon = s.find(':'), slash = s.rfind('/');
    file_->imports.push_back({intern(s.substr(0, colon)),
                              intern(s.substr(colon + 1, slash - colon - 1)),
                              static_cast<uint32_t>(number(s.substr(slash + 1)))});
    return make(Operand::u, file_->imports.size() - 1);
  }
  static Operand make(Operand::Type type, uint64_t value) {
    Operand o;
    o.type = type;
    o.value = value;
    return o;
  }
  static uint64_t number(std::string_view s) {
    int64_t n = 0;
    std::from_chars(s.data(), s.data() + s.size(), n);
    return static_cast<uint64_t>(n);
  }
  static std::string_view trimmed(std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
  }
  void export_all(size_t funs) {
    file_->function_count = static_cast<uint32_t>(functions_.size());
    for (const Declared& d : functions_)
      if (!d.local) file_->exports.push_back({d.name, d.arity, d.label});
    for (size_t i = 0; i < funs; i++)
      file_->lambdas.push_back({functions_[i].name, functions_[i].arity, functions_[i].label,
                                static_cast<uint32_t>(i), 0, 0});
  }

  std::unique_ptr<BeamFile> file_ = std::make_unique<BeamFile>();
  std::vector<Declared> functions_;
};

}  // namespace wb
