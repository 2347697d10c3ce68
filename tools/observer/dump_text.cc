#include "tools/observer/dump_text.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "tools/observer/dump_reader.h"

namespace wb {
namespace {

uint64_t hex(std::string_view s) { return take_hex(&s); }
bool take(std::string_view* s, char c) {
  if (!s->starts_with(c)) return false;
  s->remove_prefix(1);
  return true;
}
std::string_view take_bytes(std::string_view* s, size_t n) {
  const std::string_view part = s->substr(0, n);
  s->remove_prefix(part.size());
  return part;
}

/// Of base64 as many bytes as are wanted, or as there are.
std::string from_base64(std::string_view text, size_t skip, size_t most) {
  std::string out;
  uint32_t bits = 0;
  int held = 0;
  text.remove_prefix(std::min(skip / 3 * 4, text.size()));
  skip %= 3;
  for (char c : text) {
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (digit < 0) break;
    bits = bits << 6 | static_cast<uint32_t>(digit), held += 6;
    if (held < 8) continue;
    held -= 8;
    if (skip)
      --skip;
    else
      out += static_cast<char>(bits >> held & 0xff);
    if (out.size() >= most) break;
  }
  return out;
}

bool is_printable(unsigned c) { return (c >= ' ' && c < 127) || (c >= '\t' && c <= '\r'); }

void append_quoted(std::string* out, std::string_view text, char quote) {
  *out += quote;
  for (char c : text) {
    if (c == quote || c == '\\') *out += '\\';
    if (c == '\n')
      *out += "\\n";
    else
      *out += c;
  }
  *out += quote;
}

// --- external terms: of those that dumps have, what names them -----------------------------------
class Bytes {
 public:
  explicit Bytes(std::string_view s) : s_(s) {}
  uint64_t number(size_t n) {
    uint64_t v = 0;
    for (; n; --n) {
      v = v << 8 | static_cast<unsigned char>(s_.empty() ? '\0' : s_[0]);
      if (!s_.empty()) s_.remove_prefix(1);
    }
    return v;
  }
  std::string atom() {
    const uint64_t tag = number(1);
    const bool is_small = tag == 119 || tag == 115;
    if (!is_small && tag != 118 && tag != 100) return "?";
    return std::string(take_bytes(&s_, number(is_small ? 1 : 2)));
  }
  uint64_t integer() { return number(1) == 97 ? number(1) : number(4); }

 private:
  std::string_view s_;
};

std::string external_text(std::string_view encoded) {
  Bytes b(encoded);
  if (b.number(1) != 131) return {};
  switch (b.number(1)) {
    case 90: {  // a reference
      const uint64_t n = b.number(2);
      b.atom(), b.number(4);
      std::vector<uint64_t> numbers;
      for (uint64_t k = 0; k < std::min<uint64_t>(n, 5); ++k) numbers.push_back(b.number(4));
      std::string text = "#Ref<0";
      for (size_t k = numbers.size(); k-- > 0;) text += fmt::format(".{}", numbers[k]);
      return text + ">";
    }
    case 113: {  // fun M:F/A
      const std::string module = b.atom(), function = b.atom();
      return fmt::format("fun {}:{}/{}", module, function, b.integer());
    }
    case 112: {  // a fun of a module
      b.number(4), b.number(1), b.number(16);
      const uint64_t index = b.number(4);
      b.number(4);
      const std::string module = b.atom();
      b.integer();
      return fmt::format("#Fun<{}.{}.{}>", module, index, b.integer());
    }
    default:
      return {};
  }
}

}  // namespace

// --- where objects stand -------------------------------------------------------------------------
void DumpHeap::add_objects(std::string_view lines) {
  while (!lines.empty() && objects_.size() < kMost) {
    std::string_view line = take_line(&lines);
    const uint64_t address = take_hex(&line);
    if (address && take(&line, ':')) objects_.try_emplace(address, line);
  }
}
void DumpHeap::add_binary(std::string_view address, std::string_view body) {
  if (binaries_.size() < kMost) binaries_.try_emplace(hex(address), take_line(&body));
}
std::string_view DumpHeap::object(uint64_t address) const {
  const auto found = objects_.find(address);
  return found == objects_.end() ? std::string_view() : found->second;
}
std::string_view DumpHeap::binary(uint64_t address) const {
  const auto found = binaries_.find(address);
  return found == binaries_.end() ? std::string_view() : found->second;
}

// --- printing ------------------------------------------------------------------------------------
std::string DumpText::print(std::string_view* in, size_t most) {
  out_.clear();
  most_ = most, steps_ = 0;
  term(in, 0);
  if (out_.size() <= most) return out_;
  out_.resize(most);
  while (!out_.empty() && (out_.back() & 0x80)) out_.pop_back();  // no half character
  return out_ + "...";
}

std::string_view DumpText::at(std::string_view address) const {
  const uint64_t where = hex(address);
  const std::string_view line = own_.object(where);
  return line.empty() ? shared_.object(where) : line;
}

void DumpText::atom(std::string_view text) {
  const bool plain =
      !text.empty() && text[0] >= 'a' && text[0] <= 'z' && std::ranges::all_of(text, [](char c) {
        return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '@' || (c & 0x80);
      });
  if (plain)
    out_ += text;
  else
    append_quoted(&out_, text, '\'');
}

/// As far as it goes in a line with others behind it.
void DumpText::term(std::string_view* in, int depth) {
  auto until = [&](std::string_view ends) {
    return take_bytes(in, std::min(in->find_first_of(ends), in->size()));
  };
  if (in->empty()) return;
  if (depth > kDepth || full()) {
    out_ += "...";
    in->remove_prefix(in->size());
    return;
  }
  switch (take_bytes(in, 1)[0]) {
    case 'A': {
      const uint64_t n = take_hex(in);
      take(in, ':');
      return atom(take_bytes(in, n));
    }
    case 'I':
      out_ += until(",|:");
      return;
    case 'N':
      out_ += "[]";
      return;
    case 'P':
      out_ += until(",|:");
      return;
    case 'p':
      out_ += "#Port";
      out_ += until(",|:");
      return;
    case 'H':
      return object(at(until(",|:")), depth + 1);
    case 'S':
      out_ += *in;
      in->remove_prefix(in->size());
      return;
    case 'D': {  // of another node, with its atom's place in a table
      out_ += '<';
      out_ += until(",|");
      out_ += '>';
      return;
    }
    default:
      out_ += '?';
      in->remove_prefix(in->size());
  }
}

void DumpText::object(std::string_view line, int depth) {
  if (line.empty()) {
    out_ += "(not in the dump)";
    return;
  }
  const char kind = line[0];
  line.remove_prefix(1);
  switch (kind) {
    case 't': {
      const uint64_t n = take_hex(&line);
      take(&line, ':');
      return tuple(line, n, depth);
    }
    case 'l':
      return list(line, depth);
    case 'F':
      take_hex(&line), take(&line, ':');
      {
        double value = 0;
        std::from_chars(line.data(), line.data() + line.size(), value);
        std::string text = fmt::format("{}", value);
        if (text.find_first_of(".ein") == text.npos) text += ".0";
        out_ += text;
      }
      return;
    case 'B':
      out_ += line;
      return;
    case 'P':
      out_ += line;
      return;
    case 'p':
      out_ += "#Port";
      out_ += line;
      return;
    case 'Y':
      return binary(line, depth);
    case 'E':
      return encoded(line);
    case 'M':
      return map(line, depth);
    default:
      out_ += '?';
  }
}

void DumpText::tuple(std::string_view elements, uint64_t count, int depth) {
  out_ += '{';
  for (uint64_t k = 0; k < count && !elements.empty() && !full(); ++k) {
    if (k) out_ += ',';
    term(&elements, depth);
    take(&elements, ',');
  }
  out_ += '}';
}

/// Characters as text, as the shell prints them.
void DumpText::list(std::string_view line, int depth) {
  constexpr size_t kMostElements = 5000;
  std::string text;
  std::vector<std::string_view> elements;
  bool is_text = true;
  std::string_view rest = line, end;
  while (elements.size() < kMostElements) {
    std::string_view element = rest;
    const size_t bar = rest.find('|');  // atoms may have one: their length says how far they go
    size_t size = std::min(bar, rest.size());
    if (rest.starts_with('A')) {
      std::string_view a = rest.substr(1);
      const uint64_t n = take_hex(&a);
      const size_t head = static_cast<size_t>(a.data() - rest.data()) + 1;
      size = std::min<uint64_t>(head + std::min<uint64_t>(n, rest.size()), rest.size());
    }
    element = rest.substr(0, size);
    rest.remove_prefix(size);
    elements.push_back(element);
    const uint64_t c = element.starts_with('I') ? decimal(element.substr(1)) : UINT64_MAX;
    is_text = is_text && is_printable(static_cast<unsigned>(std::min<uint64_t>(c, 255))) && c < 255;
    if (is_text) text += static_cast<char>(c);
    if (!take(&rest, '|') || rest.starts_with('N') || rest.empty()) break;
    end = rest;
    if (!rest.starts_with('H')) break;
    const std::string_view next = at(rest.substr(1));
    if (!next.starts_with('l') || full()) break;
    rest = next.substr(1);
    end = {};
  }
  if (is_text && end.empty()) {
    append_quoted(&out_, text, '"');
    return;
  }
  out_ += '[';
  for (size_t k = 0; k < elements.size() && !full(); ++k) {
    if (k) out_ += ',';
    std::string_view element = elements[k];
    term(&element, depth);
  }
  if (!end.empty()) {
    out_ += '|';
    term(&end, depth);
  }
  if (elements.size() == kMostElements) out_ += "...";
  out_ += ']';
}

/// Mf SIZE : KEYS : VALUES, or the nodes of a trie: Mh SIZE : N : ..., Mn N : ...
void DumpText::map(std::string_view line, int depth) {
  bool some = false;
  out_ += "#{";
  map_entries(line, &some, depth);
  out_ += '}';
}
void DumpText::map_entries(std::string_view line, bool* some, int depth) {
  if (depth > kDepth || line.empty()) return;
  const char kind = take_bytes(&line, 1)[0];
  if (kind == 'f') {
    take_hex(&line), take(&line, ':');
    const std::string_view keys_at = take_bytes(&line, std::min(line.find(':'), line.size()));
    take(&line, ':');
    std::string_view keys = keys_at.starts_with('H') ? at(keys_at.substr(1)) : std::string_view();
    if (take(&keys, 't')) take_hex(&keys), take(&keys, ':');
    while (!keys.empty() && !full()) {
      if (*some) out_ += ',';
      *some = true;
      term(&keys, depth);
      out_ += " => ";
      term(&line, depth);
      take(&keys, ','), take(&line, ',');
    }
    return;
  }
  if (kind == 'h') take_hex(&line), take(&line, ':');
  take_hex(&line), take(&line, ':');
  while (!line.empty() && !full()) {  // a leaf is a cell, [Key|Value]
    const std::string_view child = take_bytes(&line, std::min(line.find(','), line.size()));
    take(&line, ',');
    std::string_view what = child.starts_with('H') ? at(child.substr(1)) : std::string_view();
    if (take(&what, 'M')) {
      map_entries(what, some, depth + 1);
    } else if (take(&what, 'l')) {
      if (*some) out_ += ',';
      *some = true;
      term(&what, depth);
      take(&what, '|');
      out_ += " => ";
      term(&what, depth);
    }
  }
}

void DumpText::bytes(std::string_view shown, uint64_t size) {
  const bool is_text = std::ranges::all_of(
      shown, [](char c) { return is_printable(static_cast<unsigned char>(c)); });
  out_ += "<<";
  if (is_text && !shown.empty()) {
    append_quoted(&out_, shown, '"');
  } else {
    for (size_t k = 0; k < shown.size(); ++k)
      out_ += fmt::format("{}{}", k ? "," : "", static_cast<unsigned char>(shown[k]));
  }
  if (shown.size() < size) out_ += fmt::format("... {} bytes", size);
  out_ += ">>";
}

/// Yh SIZE : base64; Yc BINARY : OFFSET : SIZE; Ys OBJECT : OFFSET : SIZE.
void DumpText::binary(std::string_view line, int depth) {
  constexpr size_t kShown = 200;
  if (line.empty() || depth > kDepth) return;
  const char kind = take_bytes(&line, 1)[0];
  const uint64_t first = take_hex(&line);
  take(&line, ':');
  if (kind == 'h') return bytes(from_base64(line, 0, std::min<uint64_t>(first, kShown)), first);
  const uint64_t offset = take_hex(&line);
  take(&line, ':');
  const uint64_t size = take_hex(&line);
  std::string_view whole = kind == 'c' ? own_.binary(first) : std::string_view();
  if (kind == 'c' && whole.empty()) whole = shared_.binary(first);
  if (kind == 's') {  // of an object that is a binary itself
    std::string_view of = own_.object(first);
    if (of.empty()) of = shared_.object(first);
    if (of.starts_with("Yh")) whole = of.substr(2);
    if (of.starts_with("Yc")) {
      of.remove_prefix(2);
      const uint64_t address = take_hex(&of);
      whole = own_.binary(address).empty() ? shared_.binary(address) : own_.binary(address);
    }
  }
  take_hex(&whole), take(&whole, ':');
  bytes(from_base64(whole, offset, std::min<uint64_t>(size, kShown)), size);
}

void DumpText::encoded(std::string_view line) {
  const uint64_t size = take_hex(&line);
  take(&line, ':');
  const std::string text = external_text(from_base64(line, 0, std::min<uint64_t>(size, 4096)));
  out_ += text.empty() ? fmt::format("(encoded, {} bytes)", size) : text;
}

}  // namespace wb
