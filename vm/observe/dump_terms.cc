#include "vm/observe/dump_terms.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "term/atom.h"
#include "term/binary.h"
#include "term/external.h"
#include "term/literal_area.h"
#include "term/map.h"
#include "term/print.h"
#include "vm/observe/dump_file.h"

namespace wb {

std::string base64(const uint8_t* bytes, size_t n) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((n + 2) / 3 * 4);
  for (size_t k = 0; k < n; k += 3) {
    uint32_t word = uint32_t{bytes[k]} << 16;
    if (k + 1 < n) word |= uint32_t{bytes[k + 1]} << 8;
    if (k + 2 < n) word |= bytes[k + 2];
    text += kDigits[word >> 18];
    text += kDigits[word >> 12 & 63];
    text += k + 1 < n ? kDigits[word >> 6 & 63] : '=';
    text += k + 2 < n ? kDigits[word & 63] : '=';
  }
  return text;
}

namespace {

uintptr_t heap_address(Term t) { return reinterpret_cast<uintptr_t>(pointer_of(t)); }

std::string sized(const uint8_t* bytes, size_t n) {
  return fmt::format("{:X}:{}", n, base64(bytes, n));
}

}  // namespace

std::string DumpTerms::shown(Term t) {
  if (is_small(t)) return fmt::format("I{}", small_value(t));
  if (is_nil(t)) return "N";
  if (is_atom(t)) return fmt::format("A{:X}:{}", atom_text(t).size(), atom_text(t));
  if (is_local_pid(t)) return "P" + to_text(t);
  if (is_local_port(t)) return "p" + to_text(t).substr(sizeof "#Port" - 1);
  if (!is_pointer(t)) return "S?";
  if (seen_.insert(pointer_of(t)).second) {
    (in_literal_range(pointer_of(t)) ? literals_ : heap_).push_back(t);
  }
  return fmt::format("H{:X}", heap_address(t));
}

std::string DumpTerms::elements(const Term* e, size_t n) {
  std::string text;
  for (size_t k = 0; k < n; ++k) text += (k ? "," : "") + shown(e[k]);
  return text;
}

std::string DumpTerms::encoded(Term t) {
  std::vector<uint8_t> bytes;
  encode_term(t, {}, &bytes);
  return "E" + sized(bytes.data(), bytes.size());
}

/// A binary in the heap; of a shared one where it is.
std::string DumpTerms::bytes_of(Term t) {
  if (!is_binary(t)) return encoded(t);
  Term base = is_kind(t, Kind::sub_bin) ? boxed_ptr(t)[4] : t;
  ByteView view(t);
  if (!is_kind(base, Kind::refc_bin)) return "Yh" + sized(view.data(), view.size());
  auto* binary = reinterpret_cast<const Binary*>(boxed_ptr(base)[1]);
  uint64_t bit = base == t ? 0 : boxed_ptr(t)[2];
  if (bit % 8 != 0) return encoded(t);
  if (seen_.insert(binary).second) binaries_.push_back(binary);
  return fmt::format("Yc{:X}:{:X}:{:X}", reinterpret_cast<uintptr_t>(binary), bit / 8, view.size());
}

std::string DumpTerms::boxed(Term t) {
  const Term* p = boxed_ptr(t);
  const size_t size = header_size(*p);
  auto children = [&] { return static_cast<size_t>(std::popcount(header_extra(*p))); };
  switch (header_kind(*p)) {
    case Kind::tuple:
      return fmt::format("t{:X}:", size) + elements(p + 1, size);
    case Kind::big_pos:
    case Kind::big_neg:
      return "B" + to_text(t);
    case Kind::flo: {
      std::string text = fmt::format("{:.20e}", float_value(t));
      return fmt::format("F{:X}:{}", text.size(), text);
    }
    case Kind::flatmap: {
      const size_t n = static_cast<size_t>(small_value(p[1]));
      std::string keys = shown(flatmap_keys(t));
      return fmt::format("Mf{:X}:{}:", n, keys) + elements(flatmap_values(t), n);
    }
    case Kind::hashmap:
      return fmt::format("Mh{:X}:{:X}:", static_cast<size_t>(small_value(p[1])), children()) +
             elements(p + 2, children());
    case Kind::hashnode:
      return fmt::format("Mn{:X}:", children()) + elements(p + 1, children());
    case Kind::heap_bin:
    case Kind::refc_bin:
    case Kind::sub_bin:
      return bytes_of(t);
    case Kind::ext_pid:
      return "P" + to_text(t);
    case Kind::ext_port:
      return "p" + to_text(t).substr(sizeof "#Port" - 1);
    case Kind::fun:
    case Kind::export_fun:
    case Kind::ref:
    case Kind::pid_ref:
    case Kind::magic_ref:
    case Kind::ext_ref:
      return encoded(t);
    case Kind::record:
      return encoded(t);
    case Kind::match_ctx:
      return bytes_of(p[4]);
    case Kind::count:
      break;
  }
  return "S?";
}

std::string DumpTerms::object(Term t) {
  return is_cons(t) ? "l" + shown(head(t)) + "|" + shown(tail(t)) : boxed(t);
}

/// Objects of `list`, and those that they point to in turn.
void DumpTerms::write_objects(std::vector<Term>& list) {
  while (!list.empty() && out_.takes_more()) {
    Term t = list.back();
    list.pop_back();
    out_.print(fmt::format("{:X}:{}\n", heap_address(t), object(t)));
  }
}
void DumpTerms::write_heap() { write_objects(heap_); }
void DumpTerms::write_literals() { write_objects(literals_); }

void DumpTerms::write_binaries() {
  for (const Binary* b : std::exchange(binaries_, {})) {
    out_.print(fmt::format("=binary:{:X}\n", reinterpret_cast<uintptr_t>(b)));
    out_.print(sized(b->data, b->size) + "\n");
  }
}

}  // namespace wb
