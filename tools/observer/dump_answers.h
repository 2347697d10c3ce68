// An erl_crash.dump that answers as a machine would, so that all views show it.
//
// What a machine knows only while it runs (rates, profiles, who waits for whom) is empty or zero
// here; what acts is refused. Heaps are read when a process is asked for, one process at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/observer/answer_source.h"
#include "tools/observer/dump_reader.h"
#include "tools/observer/dump_text.h"

namespace wb {

class JsonWriter;
class ObserverRequest;

/// What =proc:PID says; the other sections of that process.
struct DumpedProcess {
  std::string_view pid, name, initial, parent, state;
  std::string fn;
  uint64_t reductions = 0, memory = 0, queue = 0;
  const DumpSection* facts = nullptr;
  const DumpSection *stack = nullptr, *heap = nullptr, *dictionary = nullptr, *messages = nullptr;
};

class DumpAnswers final : public AnswerSource {
 public:
  /// Null, and why in *error.
  static std::unique_ptr<DumpAnswers> open(const std::string& path, std::string* error);
  std::string answer(std::string_view request) override;

 private:
  using Answer = std::string (DumpAnswers::*)(const ObserverRequest&, JsonWriter&);
  struct Known;
  static Answer answer_to(std::string_view what);

  void index();
  const DumpedProcess* find(std::string_view pid_or_name) const;
  const DumpHeap& shared();
  template <class F>
  size_t each(std::string_view tag, F f) const;

  void write_row(JsonWriter& w, const DumpedProcess& p) const;
  void write_stack(JsonWriter& w, const DumpedProcess& p, DumpText& text) const;
  void write_dump(JsonWriter& w) const;
  void write_memory(JsonWriter& w) const;
  void write_scheduler(JsonWriter& w, const DumpSection& s) const;
  void write_schedulers(JsonWriter& w) const;
  void write_relations(JsonWriter& w, const DumpedProcess& p) const;

  std::string hello(const ObserverRequest&, JsonWriter& w);
  std::string home(const ObserverRequest&, JsonWriter& w);
  std::string columns(const ObserverRequest&, JsonWriter& w);
  std::string processes(const ObserverRequest& r, JsonWriter& w);
  std::string process(const ObserverRequest& r, JsonWriter& w);
  std::string children(const ObserverRequest& r, JsonWriter& w);
  std::string schedulers(const ObserverRequest&, JsonWriter& w);
  std::string tables(const ObserverRequest& r, JsonWriter& w);
  std::string modules(const ObserverRequest& r, JsonWriter& w);
  std::string ports(const ObserverRequest& r, JsonWriter& w);
  std::string nodes(const ObserverRequest& r, JsonWriter& w);
  std::string timers(const ObserverRequest& r, JsonWriter& w);
  std::string atoms(const ObserverRequest& r, JsonWriter& w);
  std::string persistent_terms(const ObserverRequest& r, JsonWriter& w);
  std::string allocators(const ObserverRequest&, JsonWriter& w);
  std::string warnings(const ObserverRequest& r, JsonWriter& w);
  std::string calls(const ObserverRequest&, JsonWriter& w);
  std::string exits(const ObserverRequest&, JsonWriter& w);
  std::string no_rows(const ObserverRequest&, JsonWriter& w);
  std::string events(const ObserverRequest&, JsonWriter& w);
  std::string profile(const ObserverRequest&, JsonWriter& w);
  std::string jit(const ObserverRequest&, JsonWriter& w);

  std::string path_;
  DumpReader reader_;
  std::vector<DumpedProcess> processes_;
  std::unordered_map<std::string_view, size_t> by_pid_, by_name_;
  std::unique_ptr<DumpHeap> shared_;  ///< literals and binaries, read when first needed
};

}  // namespace wb
