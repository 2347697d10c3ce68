#include "vm/observe/warnings.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/json.h"
#include "vm/observe/makers.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/observe/table_scan.h"

namespace wb {
namespace {

void write_party(JsonWriter& w, const char* key, Term pid, const char* name_key,
                 const std::string& name) {
  if (is_value(pid)) w.text(key, to_text(pid));
  if (!name.empty()) w.text(name_key, name);
}

}  // namespace

Warnings::Warnings(Observer& observer) : o_(observer), suspects_(observer.vm()) {}

void Warnings::ask(uint64_t seconds) {
  until_ns_ = std::max(until_ns_, o_.vm().scheduler->now_ns() + seconds * kSecond);
  o_.vm().scheduler->measure(true);
  if (!looked_ns_) look();
}

bool Warnings::is_over() const { return o_.vm().scheduler->now_ns() > until_ns_; }
int Warnings::due_in_ms() const {
  const uint64_t now = o_.vm().scheduler->now_ns(), due = looked_ns_ + kApart;
  return due <= now ? 0 : static_cast<int>((due - now) / 1'000'000 + 1);
}

void Warnings::look() {
  if (due_in_ms() != 0) return;
  const uint64_t now = o_.vm().scheduler->now_ns();
  const double seconds = looked_ns_ ? static_cast<double>(now - looked_ns_) / 1e9 : 0;
  if (!looked_ns_) first_ns_ = now;
  found_.clear();
  find_limits();
  find_crash_loops(now);
  find_searches(seconds);
  find_large_messages(seconds);
  find_atoms(seconds);
  find_timers(seconds);
  find_busy(now);
  if (now >= next_pass_ns_) find_suspects(now);
  ask_suspects();
  find_call_warnings();
  name_subjects();
  confirm();
  looked_ns_ = now, ++looks_;
}

void Warnings::name_subjects() {
  ReaderGuard guard(o_.vm().scheduler->progress());
  for (Warning& w : found_) {
    if (w.name.empty() && is_value(w.pid)) w.name = name_or_start(o_.vm(), w.pid);
    if (w.other_name.empty() && is_value(w.other)) w.other_name = name_or_start(o_.vm(), w.other);
  }
}

/// Those that were so for long enough are what is answered.
void Warnings::confirm() {
  std::map<std::pair<WarningKind, uint64_t>, Held> held;
  for (Warning& w : found_) {
    const std::pair subject(w.kind, w.subject);
    const auto before = held_.find(subject);
    const uint32_t looks = before == held_.end() ? 1 : before->second.looks + 1;
    held.try_emplace(subject, Held{std::move(w), looks, false});
  }
  for (auto& [subject, before] : held_) {
    if (before.missed) continue;
    before.missed = true;
    held.try_emplace(subject, std::move(before));
  }
  held_ = std::move(held);
  rows_.clear();
  for (const auto& [subject, h] : held_) {
    if (h.looks >= facts_of(h.warning.kind).looks) rows_.push_back(h.warning);
  }
}

void Warnings::set_place(Warning* warning, const CallSite& where) const {
  const Module* m = o_.vm().code->module_at(where.at);
  const Module::Function* f = m ? m->function_at(where.at) : nullptr;
  if (!f) return;
  warning->function = mfa_text(m->name, f->name, f->arity);
  const SourceLocation location = m->location(where.at);
  warning->file = location.file, warning->line = location.line;
}

void Warnings::write(JsonWriter& w, std::string_view what, size_t limit) const {
  std::array<size_t, std::size(kWarnings)> of_kind = {};
  size_t total = 0;
  w.number("looks", looks_).boolean("settled", looks_ >= kSettledLooks);
  w.number("watched_ns", looked_ns_ - first_ns_)
      .number("suspects", suspects_.count(Suspects::suspect))
      .array("rows");
  for (const Warning& row : rows_) {
    ++of_kind[static_cast<size_t>(row.kind)];
    if (!what.empty() && facts_of(row.kind).name != what) continue;
    if (++total > limit) continue;
    open_warning(w, row.kind, row.text);
    write_party(w, "pid", row.pid, "name", row.name);
    write_party(w, "other", row.other, "other_name", row.other_name);
    if (!row.function.empty()) w.text("fn", row.function);
    if (row.line) w.text("file", row.file).number("line", row.line);
    w.close('}');
  }
  w.close(']').number("total", total).object("kinds");
  for (size_t k = 0; k < of_kind.size(); ++k) w.number(kWarnings[k].name, of_kind[k]);
  w.close('}');
}

size_t Warnings::memory() const {
  constexpr size_t kNode = 64;
  size_t bytes = (found_.size() + rows_.size()) * sizeof(Warning);
  bytes += held_.size() * (sizeof(Held) + kNode);
  bytes += (searches_.size() + timers_.size() + exits_then_.size() + exits_since_.size()) * kNode;
  return bytes + suspects_.memory() + (to_ask_.capacity() + next_flow_.size()) * sizeof(Term);
}

/// {"what": KIND, "limit": 200, "for_s": 20}: what looks wrong in the whole machine.
std::string answer_warnings(RequestContext& a) {
  const std::string_view what = a.request.text("what");
  const auto limit = static_cast<size_t>(a.request.number("limit", 200, 1, 1000));
  const auto seconds = static_cast<uint64_t>(a.request.number("for_s", 20, 1, 600));
  if (!what.empty() &&
      std::ranges::find(kWarnings, what, &WarningFacts::name) == std::end(kWarnings))
    return "no such kind of warning: " + std::string(what);
  std::unique_ptr<Warnings>& warnings = a.observer.warnings;
  if (!warnings) warnings = std::make_unique<Warnings>(a.observer);
  warnings->ask(seconds);
  warnings->write(a.out, what, limit);
  return {};
}

}  // namespace wb
