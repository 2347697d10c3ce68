// Protocol buffers are simple enough to be written by hand: a field is its number and kind, then a
// number, or bytes with their length. Numbers of fields are those of pprof's profile.proto.
#include "tools/observer/pprof.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <map>
#include <string_view>
#include <vector>

namespace wb {
namespace {

class Message {
 public:
  Message& number(unsigned field, uint64_t n) {
    varint(field << 3);
    varint(n);
    return *this;
  }
  Message& bytes(unsigned field, std::string_view content) {
    varint(field << 3 | 2);
    varint(content.size());
    out_ += content;
    return *this;
  }
  Message& message(unsigned field, const Message& m) { return bytes(field, m.out_); }
  Message& numbers(unsigned field, const std::vector<uint64_t>& all) {
    Message packed;
    for (uint64_t n : all) packed.varint(n);
    return message(field, packed);
  }
  const std::string& text() const { return out_; }

 private:
  void varint(uint64_t n) {
    for (; n >= 0x80; n >>= 7) out_ += static_cast<char>(n | 0x80);
    out_ += static_cast<char>(n);
  }
  std::string out_;
};

class Profile {
 public:
  explicit Profile(const JsonValue& profile) {
    const std::string& what = profile["what"].text();
    bool allocation = what == "allocation", time = what == "time";
    const char* type = allocation ? "alloc_space" : time ? "cpu" : "reductions";
    const char* unit = allocation ? "bytes" : time ? "nanoseconds" : "count";
    out_.message(1, Message().number(1, string(type)).number(2, string(unit)));
    for (const JsonValue& entry : profile["stacks"].list()) {
      if (entry.list().size() != 2 || entry.list()[0].text().empty()) continue;
      auto n = static_cast<uint64_t>(entry.list()[1].integer());
      out_.message(2, Message()
                          .numbers(1, locations(entry.list()[0].text()))
                          .numbers(2, {allocation ? n * sizeof(uint64_t) : n}));
    }
    for (const auto& [name, id] : functions_) {
      out_.message(4, Message().number(1, id).message(4, Message().number(1, id)));
      uint64_t text = string(name);
      out_.message(5, Message().number(1, id).number(2, text).number(3, text));
    }
    std::vector<std::string_view> in_order(strings_.size());
    for (const auto& [text, k] : strings_) in_order[k] = text;
    for (std::string_view text : in_order) out_.bytes(6, text);
    constexpr uint64_t kSecond = 1'000'000'000;
    out_.number(9, static_cast<uint64_t>(::time(nullptr)) * kSecond);
  }
  const std::string& bytes() const { return out_.text(); }

 private:
  uint64_t string(const std::string& text) {
    return strings_.try_emplace(text, strings_.size()).first->second;
  }
  /// Innermost first. A location is a function, and has its number.
  std::vector<uint64_t> locations(const std::string& stack) {
    std::vector<uint64_t> ids;
    for (size_t at = 0; at < stack.size();) {
      size_t end = std::min(stack.find(';', at), stack.size());
      std::string name = stack.substr(at, end - at);
      ids.insert(ids.begin(), functions_.try_emplace(name, functions_.size() + 1).first->second);
      at = end + 1;
    }
    return ids;
  }
  Message out_;
  std::map<std::string, uint64_t> strings_{{"", 0}}, functions_;
};

}  // namespace

std::string pprof_gz(const JsonValue& profile) {
  const Profile made(profile);
  const std::string& plain = made.bytes();
  constexpr int kGzip = 15 + 16, kMemory = 8;
  z_stream z = {};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return plain;
  }
  std::string out(deflateBound(&z, plain.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  z.avail_in = static_cast<uInt>(plain.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  bool done = deflate(&z, Z_FINISH) == Z_STREAM_END;
  out.resize(z.total_out);
  deflateEnd(&z);
  return done ? out : plain;
}

}  // namespace wb
