// All loaded code: modules by name, exports by M:F/A, funs by identity, and which module an address
// belongs to.
//
// Exports and fun entries, once made, live as long as the table: instructions, funs and terms point
// to them. Lookups of exports take no lock (apply does one per call); everything that changes takes
// `lock_`. Loading a module stores new entry addresses into its exports one by one, after its code
// is complete: a caller sees the old or the new version of each function.
//
// The table knows handlers only as addresses (`handlers`, indexed by bytecode/instructions.h) and
// BIFs as pointers: it knows no interpreter.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bytecode/beam_file.h"
#include "bytecode/instructions.h"
#include "loader/code.h"
#include "loader/code_path.h"
#include "loader/export_table.h"
#include "term/name_map.h"

namespace wb {

class CodeWords;
class ModuleImages;
class Scheduler;

/// Nothing if it cannot be read.
std::optional<std::vector<uint8_t>> read_file_bytes(const std::string& path);
/// The same of code that is to run: it may be recorded (base/recording.h).
std::optional<std::vector<uint8_t>> read_code(const std::string& path);

/// What the code table calls when something happens to code.
class CodeHooks {
 public:
  // --- versions of modules; under the table's lock, but for retired()
  virtual void became_current(Module& m) = 0;
  virtual void becoming_old(Module& m) = 0;  ///< it was current until now
  virtual void being_freed(Module& m) = 0;   ///< nobody runs it any more
  /// A module has been linked; nobody can call it yet.
  virtual void linked(Module& m) = 0;
  /// A module's literals are still used when its code has been freed: takes them over.
  virtual void retired(std::unique_ptr<Module> m) = 0;
  /// `pid` waited for the end of a purge (await_purge).
  virtual void purge_over(Term pid) = 0;
  /// Something that people should know: a module of a program that cannot be loaded.
  virtual void log(const std::string& message) = 0;

 protected:
  ~CodeHooks() = default;
};

class CodeTable {
 public:
  explicit CodeTable(const Word* handlers);
  ~CodeTable();
  CodeTable(const CodeTable&) = delete;

  // --- exports, funs -----------------------------------------------------------------------------
  Export* export_entry(Term module, Term function, uint32_t arity);  ///< made if needed
  /// Gives an export its place in module_info(exports), unless it has one. It gets it when its
  /// module or one that imports it is loaded, or when a fun is made of it, whichever comes first.
  void order_export(Export& e);
  /// The same for export_entry(module, function, arity).
  Export* ordered_export(Term module, Term function, uint32_t arity);
  Export* find_export(Term module, Term function, uint32_t arity) const {
    return exports_.find(module, function, arity);
  }
  template <class F>
  void each_export(F f) const {
    exports_.each(f);
  }
  FunEntry* fun_entry(Term module, uint32_t old_index, uint32_t old_uniq, uint32_t index,
                      const uint8_t uniq[16], uint32_t arity, uint32_t free_count);

  // --- BIFs --------------------------------------------------------------------------------------
  void add_bif(Term module, Term function, uint32_t arity, void* fn);
  /// Gives a function that the machine implements by an instruction of its own its stub.
  Export* add_builtin(Term module, Term function, uint32_t arity, Instr instr, Word operand = 0);

  // --- modules -----------------------------------------------------------------------------------
  struct LoadFailure {
    Term reason;          ///< badfile, not_purged, on_load, nofile ...
    std::string message;  ///< for people
  };
  using Loaded = Result<Module*, LoadFailure>;
  using Prepared = Result<std::unique_ptr<Module>, LoadFailure>;
  /// Checks and links a module, which nobody can call yet.
  Prepared prepare(std::vector<uint8_t> bytes, const std::string& path);
  /// Makes it current. A module with an on_load function waits until that has been called.
  Loaded commit(std::unique_ptr<Module>& m);
  /// For several steps that must see the same state of prepared code.
  std::unique_lock<std::recursive_mutex> lock_loading() { return std::unique_lock(loading_); }
  /// The version whose on_load function runs.
  Module* find_pending(Term name) const;
  /// Is there a version of the module, not current yet, that has an on_load function?
  bool waits_for_on_load(Term name) const;
  /// Makes the waiting version current, or forgets it. False: there is none.
  bool end_on_load(Term name, bool keep);
  /// Both at once, for modules without on_load (else its reason is on_load). `path` is for messages
  /// and code:which.
  Loaded load(std::vector<uint8_t> bytes, const std::string& path);
  /// The same, read from the code path.
  Loaded load_from_path(Term module);
  /// The current version, or nullptr.
  Module* find_module(Term name) const {
    const Word found = current_.find(name);
    return found == kNone ? nullptr : reinterpret_cast<Module*>(found);
  }
  Module* find_old_module(Term name) const;
  /// Calls f(module) with every current version, which cannot change meanwhile.
  template <class F>
  void each_module(F f) const {
    std::shared_lock lock(lock_);
    for (auto& [name, v] : modules_) {
      if (v.current) f(*v.current);
    }
  }
  /// The template (term/record.h) by which the current version of a module makes its native records
  /// of that name; kNone: it has none. It is a literal, good until the caller's next safe point.
  Term find_record(Term module, Term name) const;
  bool has_known(Term name) const;                ///< loaded now or once
  const Module* module_at(const Word* pc) const;  ///< nullptr: not loaded code
  std::vector<Term> loaded_modules() const;
  size_t words() const;          ///< of the code and literals of the current versions
  size_t literal_words() const;  ///< of these, literals
  /// Current becomes old. False: there is an old version already.
  bool delete_module(Term name);
  // Purging: prepare, make sure that nobody runs the old version, then purge or abort. In between
  // nobody can enter it: its funs lead nowhere, and whoever calls one waits until it is over.
  /// False: there is no old version. Each is followed by one of the other two.
  bool prepare_purge(Term name);
  bool abort_purge(Term name);
  bool purge_module(Term name);  ///< frees the old version, which nobody runs any more
  /// Who says when everybody has left code that nobody runs any more; without one it is freed at
  /// once.
  void use(Scheduler* s) { scheduler_ = s; }
  /// Between the two no code is freed: native functions called by processes that have ended are
  /// still to return.
  void pin_code();
  void unpin_code();
  bool is_being_purged(Term name) const;
  /// CodeHooks::purge_over is called with `pid` when the purge is over. False: there is none.
  bool await_purge(Term name, Term pid);

  /// The export if it can be called now, perhaps after loading its module; nullptr: no such
  /// function.
  Export* resolve_undefined(Export* e);
  const Word* resolve_fun(FunEntry* f);

  /// Modules loaded so far, and the time it took to check and link them.
  struct LoadCounts {
    std::atomic<uint64_t> modules{0}, file_bytes{0}, ns{0};
  };
  LoadCounts counts;

  /// From now on modules are taken from the images there (module_images.h), and leave some. False
  /// and *why: they cannot be.
  bool use_images(const std::string& directory, std::string* why);
  ModuleImages* images() const { return images_.get(); }        ///< or null
  void close_images();                                          ///< nothing is loaded any more
  CodePath path;
  bool lazy_loading = true;
  /// Null: there is none to notify, and purged modules whose literals are used are kept.
  CodeHooks* hooks = nullptr;

  // --- code of the machine's own -----------------------------------------------------------------
  const Word* leave = nullptr;        ///< ends a slice
  const Word* process_end = nullptr;  ///< bottom return address of every process
  // Return addresses of tracing's frames (vm/process/trace_frames.h).
  const Word *return_trace = nullptr, *return_metered = nullptr;
  const Word* return_to_trace = nullptr;
  /// Is the word one of the machine's own return addresses?
  bool is_machine_code(Word w) const {
    return w - reinterpret_cast<Word>(machine_code_) < sizeof machine_code_;
  }
  Export* await_reply = nullptr;
  /// The function that has a frame of its own in stack traces although it is no module's code:
  /// apply/2 or apply/3, called as a function.
  const Export* builtin_at(const Word* pc) const {
    return pc == apply_2_->stub_entry()   ? apply_2_
           : pc == apply_3_->stub_entry() ? apply_3_
                                          : nullptr;
  }
  /// From now on calls of functions of loaded modules are counted (Layer::warm_up).
  void start_warm_up() { warms_up_ = true; }
  bool warms_up() const { return warms_up_; }
  /// Who writes the words of code.
  CodeWords& code_words() const { return *code_words_; }
  const Word* handlers() const { return handlers_; }
  Word handler(Instr i) const { return handlers_[info_of(i).first_handler]; }

 private:
  struct Versions {
    std::unique_ptr<Module> current, old, pending;
    uint32_t purges = 0;        ///< prepared, not over
    std::vector<Term> waiting;  ///< await_purge()
  };
  Prepared check_and_emit(std::vector<uint8_t> bytes, const std::string& path,
                          std::unique_lock<std::recursive_mutex>& loading,
                          std::vector<uint8_t>* image);
  void add_address(Module& m);
  void forget_code(std::unique_ptr<Module> m);
  void free_when_unused(Module& m);
  std::unique_ptr<Module> free_code(Module& m);
  void retire(std::unique_ptr<Module> m);
  static void close_funs(Module& m);
  void end_purge(Versions& v, std::unique_lock<std::shared_mutex>& lock);
  void make_current(Versions& v, std::unique_ptr<Module> m);
  void make_current(Module& m);
  void forget_exports(Module& m);

  const Word* const handlers_;
  Export *apply_2_, *apply_3_;
  bool warms_up_ = false;
  const std::unique_ptr<CodeWords> code_words_;
  std::unique_ptr<ModuleImages> images_;
  mutable std::shared_mutex lock_;
  std::recursive_mutex loading_;  ///< one load at a time
  ExportTable exports_;
  std::atomic<uint32_t> last_order_{0};  ///< of an export
  std::unordered_map<Term, Versions> modules_;
  NameMap current_;                        ///< of modules_, for readers without the lock
  std::unordered_set<Term> with_on_load_;  ///< not loaded from the path for that reason
  std::vector<const Module*> by_address_;  ///< ascending code addresses
  std::vector<std::unique_ptr<Module>>
      purged_;  ///< code waits to be freed, or literals for want of `retired`
  Scheduler* scheduler_ = nullptr;
  uint32_t pins_ = 0;            ///< pin_code()
  std::vector<Module*> pinned_;  ///< purged, code and all, until nobody holds it
  /// Arity and number of free variables are part of a fun's identity, so that whatever another
  /// module version or a decoded term claims, an entry's code takes what its funs bring.
  struct FunKey {
    Term module;
    uint32_t old_uniq, index, arity, free_count;
    bool operator==(const FunKey&) const = default;
  };
  struct FunHash {
    size_t operator()(const FunKey& k) const {
      uint64_t shape = uint64_t{k.arity} << 20 ^ uint64_t { k.free_count } << 40;
      return (k.module ^ shape) * 0x9e3779b97f4a7c15 ^ (uint64_t{k.old_uniq} << 32 | k.index);
    }
  };
  std::unordered_map<FunKey, std::unique_ptr<FunEntry>, FunHash> funs_;
  alignas(16) Word machine_code_[8] = {};
};

}  // namespace wb
