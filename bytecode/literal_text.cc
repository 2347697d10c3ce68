#include "bytecode/literal_text.h"

#include <gmp.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "bytecode/text_length.h"
#include "term/atom.h"
#include "term/number_text.h"
#include "term/print.h"

namespace wb {
namespace {

std::string magnitude_text(Bytes digits, int order, bool negative) {
  mpz_t n;
  mpz_init(n);
  mpz_import(n, digits.size(), order, 1, 1, 0, digits.data());
  if (negative) mpz_neg(n, n);
  std::string s(mpz_sizeinbase(n, 10) + 2, 0);
  mpz_get_str(s.data(), 10, n);
  mpz_clear(n);
  s.resize(strlen(s.c_str()));
  return s;
}

/// Prints with an explicit stack of the containers that are still open.
class LiteralPrinter {
 public:
  LiteralPrinter(Bytes bytes, size_t limit) : in_(bytes), limit_(limit) {}

  std::string print() {
    in_.u8();  // 131
    element();
    while (!open_.empty() && in_.ok() && out_.size() < limit_) next();
    if (!in_.ok() || !open_.empty()) out_ += "...";
    return std::move(out_);
  }

 private:
  struct Container {
    char kind;  // '{' tuple, '[' list, '#' map, 'f' external fun
    uint32_t left, done;
  };
  static const char* separator(const Container& c) {
    switch (c.kind) {
      case '#':
        return c.done % 2 ? " => " : ", ";
      case 'f':
        return c.done == 1 ? ":" : "/";
      default:
        return ", ";
    }
  }
  void next() {
    Container& c = open_.back();
    if (c.left == 0) {
      if (c.kind != 'f') out_ += c.kind == '[' ? "]" : "}";
      open_.pop_back();
      return;
    }
    bool tail = c.kind == '[' && c.left == 1;
    c.left--;
    if (tail && in_.peek() == 106) {
      in_.u8();
      return;
    }
    if (tail)
      out_ += " | ";
    else if (c.done)
      out_ += separator(c);
    c.done++;
    element();  // may move open_: c is not used after it
  }
  void begin(char kind, const char* text, uint32_t n) {
    out_ += text;
    open_.push_back({kind, n, 0});
  }
  void element();
  void atom(size_t size, bool latin1);
  void string(Bytes bytes);
  void binary(Bytes bytes, unsigned last_bits);
  void big(size_t size);

  ByteReader in_;
  size_t limit_;
  std::string out_;
  std::vector<Container> open_;
};

void LiteralPrinter::element() {
  switch (in_.u8()) {
    case 70:
      out_ += float_text_short(std::bit_cast<double>(in_.u64()));
      break;
    case 77: {
      uint32_t size = in_.u32();
      uint8_t bits = in_.u8();
      binary(in_.bytes(size), bits);
      break;
    }
    case 97:
      out_ += std::to_string(in_.u8());
      break;
    case 98:
      out_ += std::to_string(static_cast<int32_t>(in_.u32()));
      break;
    case 100:
      atom(in_.u16(), true);
      break;
    case 115:
      atom(in_.u8(), true);
      break;
    case 118:
      atom(in_.u16(), false);
      break;
    case 119:
      atom(in_.u8(), false);
      break;
    case 104:
      begin('{', "{", in_.u8());
      break;
    case 105:
      begin('{', "{", in_.u32());
      break;
    case 106:
      out_ += "[]";
      break;
    case 107:
      string(in_.bytes(in_.u16()));
      break;
    case 108:
      begin('[', "[", std::min(in_.u32(), UINT32_MAX - 1) + 1);
      break;
    case 109:
      binary(in_.bytes(in_.u32()), 8);
      break;
    case 110:
      big(in_.u8());
      break;
    case 111:
      big(in_.u32());
      break;
    case 113:
      begin('f', "fun ", 3);
      break;
    case 116:
      begin('#', "#{", std::min(in_.u32(), UINT32_MAX / 2) * 2);
      break;
    default:
      in_.bytes(SIZE_MAX);  // another tag: give up
  }
}

void LiteralPrinter::atom(size_t size, bool latin1) {
  Bytes text = in_.bytes(size);
  std::string utf8(text.begin(), text.end());
  if (latin1 && std::ranges::any_of(text, [](uint8_t c) { return c >= 0x80; })) utf8 = "?";
  int64_t length = text_length({reinterpret_cast<const uint8_t*>(utf8.data()), utf8.size()});
  Term t = length >= 0 && length <= kMaxAtomChars ? intern(utf8) : kNone;
  out_ += is_atom(t) ? atom_source(t) : "?";
}

void LiteralPrinter::string(Bytes bytes) {
  auto printable = [](uint8_t c) { return (c >= 32 && c < 127) || c == '\n' || c == '\t'; };
  bool text = std::ranges::all_of(bytes, printable);
  out_ += text ? "\"" : "[";
  for (size_t i = 0; i < bytes.size() && out_.size() < limit_; i++) {
    if (!text)
      out_ += (i ? ", " : "") + std::to_string(bytes[i]);
    else if (bytes[i] < 32)
      out_ += bytes[i] == '\n' ? "\\n" : "\\t";
    else
      out_ += (bytes[i] == '"' || bytes[i] == '\\' ? "\\" : "") +
              std::string(1, static_cast<char>(bytes[i]));
  }
  out_ += text ? "\"" : "]";
}

void LiteralPrinter::binary(Bytes bytes, unsigned last_bits) {
  out_ += "<<";
  if (last_bits == 8 && !bytes.empty() && text_length(bytes) >= 0 &&
      std::ranges::all_of(bytes, [](uint8_t c) { return c >= 32 || c == '\n' || c == '\t'; })) {
    string(bytes);
  } else {
    for (size_t i = 0; i < bytes.size() && out_.size() < limit_; i++) {
      bool last = i + 1 == bytes.size() && last_bits < 8;
      unsigned value = last ? bytes[i] >> (8 - last_bits) : bytes[i];
      out_ += (i ? "," : "") + std::to_string(value);
      if (last) out_ += ":" + std::to_string(last_bits);
    }
  }
  out_ += ">>";
}

void LiteralPrinter::big(size_t size) {
  bool negative = in_.u8();
  Bytes digits = in_.bytes(size);
  if (size > limit_)
    out_ += "(an integer of " + std::to_string(size) + " bytes)";
  else
    out_ += magnitude_text(digits, -1, negative);
}

}  // namespace

std::string literal_text(Bytes external, size_t limit) {
  return LiteralPrinter(external, limit).print();
}

std::string big_text(Bytes digits) {
  bool negative = digits[0] & 0x80;
  if (!negative) return magnitude_text(digits, 1, false);
  std::vector<uint8_t> absolute(digits.begin(), digits.end());  // two's complement: invert, add one
  for (uint8_t& b : absolute) b = static_cast<uint8_t>(~b);
  for (size_t i = absolute.size(); i-- > 0 && ++absolute[i] == 0;) {
  }
  return magnitude_text(absolute, 1, true);
}

}  // namespace wb
