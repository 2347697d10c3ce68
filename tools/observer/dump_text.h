// Terms of an erl_crash.dump as text.
//
// A dump writes a term as a letter and what belongs to it: A5:order an atom, I7, N for nil, a pid,
// a port, or H and the address under which a heap's section has the object. Heaps may be of any
// size and their pointers may go in circles, so what is printed is bounded in length, in depth and
// in steps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace wb {

/// Where objects stand: address to the rest of the line.
class DumpHeap {
 public:
  /// The lines of =proc_heap or =literals.
  void add_objects(std::string_view lines);
  /// One =binary section.
  void add_binary(std::string_view address, std::string_view body);
  /// Empty: there is none.
  std::string_view object(uint64_t address) const;
  std::string_view binary(uint64_t address) const;

 private:
  static constexpr size_t kMost = 20'000'000;
  std::unordered_map<uint64_t, std::string_view> objects_, binaries_;
};

class DumpText {
 public:
  /// Objects are looked for in `own`, then in `shared`.
  DumpText(const DumpHeap& own, const DumpHeap& shared) : own_(own), shared_(shared) {}
  /// The term at the front of `*in`, which is taken off; at most so many bytes.
  std::string print(std::string_view* in, size_t most);
  std::string print(std::string_view in, size_t most) { return print(&in, most); }

 private:
  static constexpr int kDepth = 50;
  static constexpr size_t kSteps = 200'000;
  void term(std::string_view* in, int depth);
  void object(std::string_view line, int depth);
  void tuple(std::string_view elements, uint64_t count, int depth);
  void list(std::string_view line, int depth);
  void map(std::string_view line, int depth);
  void map_entries(std::string_view line, bool* some, int depth);
  void binary(std::string_view line, int depth);
  void bytes(std::string_view shown, uint64_t size);
  void encoded(std::string_view line);
  void atom(std::string_view text);
  std::string_view at(std::string_view address) const;
  bool full() { return out_.size() >= most_ || ++steps_ > kSteps; }

  const DumpHeap &own_, &shared_;
  std::string out_;
  size_t most_ = 0, steps_ = 0;
};

}  // namespace wb
