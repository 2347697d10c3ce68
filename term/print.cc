// The pending parts of open containers are items on an explicit stack; term() prints an atomic
// value or opens a container.
#include "term/print.h"

#include <cstdarg>
#include <cstdio>
#include <vector>

#include "base/stack.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/external.h"
#include "term/identifiers.h"
#include "term/magic_registry.h"
#include "term/map.h"
#include "term/number_text.h"
#include "term/record.h"

namespace wb {
namespace {

// Characters of a list that is printed as text: Latin-1 without control characters.
bool printable(Term t) {
  if (!is_small(t)) return false;
  int64_t c = small_value(t);
  return (c >= ' ' && c < 127) || (c >= 160 && c < 256) || c == '\t' || c == '\n' || c == '\r';
}

bool printable_list(Term t) {
  if (!is_cons(t)) return false;
  for (; is_cons(t); t = tail(t)) {
    if (!printable(head(t))) return false;
  }
  return is_nil(t);
}

bool printable_bytes(const ByteView& bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes.data()[i] < ' ' || bytes.data()[i] >= 127) return false;
  }
  return bytes.size() != 0;
}

// What is left to print of a container, innermost on top.
struct Item {
  enum What { elements, fields, list, map, map_value } what;
  const Term* words;  // elements, fields: the next one
  size_t n;           // elements, fields left
  Term rest;          // list: the cells left; map_value: the value; fields: the definition
  bool started;       // something was printed: the next is preceded by a comma
};

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string run(Term t) {
    term(t);
    while (!todo_.empty() && out_.size() <= options_.limit) {
      switch (todo_.top().what) {
        case Item::elements:
          next_element(todo_.top());
          break;
        case Item::fields:
          next_field(todo_.top());
          break;
        case Item::list:
          next_cell(todo_.top());
          break;
        case Item::map:
          next_pair(todo_.top());
          break;
        case Item::map_value:
          out_ += "=>";
          term(todo_.pop().rest);
          break;
      }
    }
    if (out_.size() > options_.limit) {
      out_.resize(options_.limit);
      out_ += "...";
    }
    return std::move(out_);
  }

 private:
  void comma(Item& item) {
    if (item.started) out_ += ',';
    item.started = true;
  }

  void next_element(Item& item) {
    if (item.n == 0) {
      out_ += '}';
      todo_.pop();
      return;
    }
    comma(item);
    --item.n;
    term(*item.words++);
  }

  void next_field(Item& item) {
    if (item.n == 0) {
      out_ += '}';
      todo_.pop();
      return;
    }
    comma(item);
    const RecordDefinition d(item.rest);
    out_ += atom_source(d.fields()[d.size() - item.n--]) + '=';
    term(*item.words++);
  }

  void next_cell(Item& item) {
    Term cells = item.rest;
    if (is_nil(cells)) {
      out_ += ']';
      todo_.pop();
      return;
    }
    if (is_cons(cells)) {
      comma(item);
      item.rest = tail(cells);
      term(head(cells));
    } else {
      out_ += '|';
      item.rest = kNil;
      term(cells);
    }
  }

  void next_pair(Item& item) {
    Term key, value;
    if (!maps_.back().next(&key, &value)) {
      out_ += '}';
      maps_.pop_back();
      todo_.pop();
      return;
    }
    comma(item);
    todo_.push({Item::map_value, nullptr, 0, value, false});
    term(key);
  }

  void term(Term t) {
    if (is_small(t))
      out_ += std::to_string(small_value(t));
    else if (is_atom(t))
      out_ += atom_source(t);
    else if (is_nil(t))
      out_ += "[]";
    else if (is_cons(t))
      list(t);
    else if (is_pid(t))
      pid(t);
    else if (is_port(t))
      port(t);
    else if (is_boxed(t))
      boxed(t, boxed_ptr(t));
    else
      format("#<%llx>", static_cast<unsigned long long>(t));
  }

  void list(Term t) {
    if (options_.strings && printable_list(t)) {
      out_ += '"';
      for (; is_cons(t); t = tail(t)) text_char(static_cast<char>(small_value(head(t))));
      out_ += '"';
      return;
    }
    out_ += '[';
    todo_.push({Item::list, nullptr, 0, t, false});
  }

  void text_char(char c) {
    if (c == '"')
      out_ += "\\\"";
    else if (c == '\n')
      out_ += "\\n";
    else
      out_ += c;
  }

  // 0 for the local node, the index of its name for another.
  static unsigned node_number(Term t) { return is_external(t) ? atom_index(node_of(t).name) : 0; }

  void pid(Term t) {
    uint64_t data = pid_data(t);
    format("<%u.%u.%u>", node_number(t), static_cast<unsigned>(data),
           static_cast<unsigned>(data >> 32));
  }

  void port(Term t) {
    format("#Port<%u.%llu>", node_number(t), static_cast<unsigned long long>(port_data(t)));
  }

  void ref(Term t) {
    if (is_kind(t, Kind::magic_ref)) note_magic(boxed_ptr(t));
    format("#Ref<%u", node_number(t));
    RefNumbers r = ref_numbers(t);
    for (size_t i = r.count; i-- > 0;) format(".%u", r.number(i));
    out_ += '>';
  }

  void boxed(Term t, const Term* p) {
    switch (header_kind(*p)) {
      case Kind::tuple:
        out_ += '{';
        todo_.push({Item::elements, p + 1, header_size(*p), kNil, false});
        break;
      case Kind::record: {
        const RecordDefinition d = definition_of(t);
        out_ += '#' + atom_source(d.module()) + ':' + atom_source(d.name()) + '{';
        todo_.push({Item::fields, record_values(t), d.size(), definition_term(t), false});
        break;
      }
      case Kind::big_pos:
      case Kind::big_neg:
        out_ += integer_text(t);
        break;
      case Kind::flo:
        number(float_value(t));
        break;
      case Kind::flatmap:
      case Kind::hashmap:
        out_ += "#{";
        maps_.emplace_back(t);
        todo_.push({Item::map, nullptr, 0, kNil, false});
        break;
      case Kind::heap_bin:
      case Kind::refc_bin:
      case Kind::sub_bin:
        bitstring(t);
        break;
      case Kind::fun:
        local_fun(p);
        break;
      case Kind::export_fun:
        export_fun(p);
        break;
      case Kind::ref:
      case Kind::pid_ref:
      case Kind::magic_ref:
      case Kind::ext_ref:
        ref(t);
        break;
      case Kind::match_ctx:  // in a frame
        out_ += "#MatchState";
        break;
      case Kind::ext_pid:
      case Kind::ext_port:
      case Kind::hashnode:
      case Kind::count:
        format("#<%s>", kind_name(header_kind(*p)));
    }
  }

  void number(double d) {
    if (options_.short_floats)
      out_ += float_text_short(d);
    else
      format("%e", d);
  }

  void bitstring(Term t) {
    Bits bits = bits_of(t);
    ByteView bytes(t);
    unsigned rest = bits.size & 7;
    out_ += "<<";
    if (options_.strings && rest == 0 && printable_bytes(bytes)) {
      out_ += '"';
      for (size_t i = 0; i < bytes.size(); ++i) text_char(static_cast<char>(bytes.data()[i]));
      out_ += "\">>";
      return;
    }
    for (size_t i = 0; i < bytes.size() && out_.size() <= options_.limit; ++i) {
      format(i ? ",%u" : "%u", bytes.data()[i]);
    }
    if (rest != 0) {
      uint8_t last = 0;
      copy_bits(&last, 8 - rest, bits.bytes, bits.offset + bits.size - rest, rest);
      format(bytes.size() ? ",%u:%u" : "%u:%u", last, rest);
    }
    out_ += ">>";
  }

  void local_fun(const Term* p) {
    auto f = fun_resolver().describe_fun(reinterpret_cast<void*>(p[1]));
    out_ += "#Fun<" + atom_source(f.module);
    format(".%u.%u>", f.old_index, f.old_uniq);
  }

  void export_fun(const Term* p) {
    auto f = fun_resolver().describe_export(reinterpret_cast<void*>(p[1]));
    out_ += "fun " + atom_source(f.module) + ':' + atom_source(f.function);
    format("/%u", f.arity);
  }

  __attribute__((format(printf, 2, 3))) void format(const char* how, ...) {
    char text[64];
    va_list args;
    va_start(args, how);
    vsnprintf(text, sizeof text, how, args);
    va_end(args);
    out_ += text;
  }

  const PrintOptions& options_;
  std::string out_;
  Stack<Item> todo_;
  std::vector<MapIterator> maps_;  // of the map items on the stack
};

}  // namespace

std::string to_text(Term t, const PrintOptions& options) {
  Printer p(options);
  return p.run(t);
}

}  // namespace wb
