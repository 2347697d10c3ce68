// What loaded code is: modules, exports, funs, and what an address is asked for.
//
// Every function's first word is preceded by a header of four words
//     [func_info handler] [module atom] [function atom] [arity]   <entry> ...
// so that from an entry one reads who it is: entry[-3], entry[-2], entry[-1]. Stubs (a BIF seen as
// a function, a function that is not loaded) have the same shape and live in their Export.
//
// Callers in other modules reach a function through its Export: they load `entry` and jump. Loading
// a new version stores new entries; processes inside the old code go on there until purged.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"
#include "term/literal_area.h"
#include "term/term.h"

namespace wb {

struct Exec;
struct Module;
struct ModulePatches;

constexpr int kHeaderWords = 4;
inline Term entry_module(const Word* entry) { return entry[-3]; }
inline Term entry_function(const Word* entry) { return entry[-2]; }
/// The arity's word, in three parts, each written by itself: the arity; one more than the handler
/// of the function's first instruction, if its calls are counted until it is compiled
/// (Layer::warm_up of code_words.h), for the counter to go on with; and how many there were. When
/// it is compiled the LLVM tier counts there (vm/orc/orc.h). Counts are hints: threads may
/// overwrite each other's.
struct EntryWord {
  uint16_t arity, handler;
  uint32_t count;
};
static_assert(sizeof(EntryWord) == sizeof(Word));
inline EntryWord& entry_word(const Word* entry) {
  return *reinterpret_cast<EntryWord*>(const_cast<Word*>(entry - 1));
}
inline uint32_t entry_arity(const Word* entry) { return entry_word(entry).arity; }
inline bool has_entry_handler(const Word* entry) { return entry_word(entry).handler != 0; }
inline unsigned entry_handler(const Word* entry) { return entry_word(entry).handler - 1u; }
inline void set_entry_handler(Word* entry, unsigned handler) {
  entry_word(entry).handler = static_cast<uint16_t>(handler + 1);
}
inline uint32_t entry_count(const Word* entry) {
  return std::atomic_ref(entry_word(entry).count).load(std::memory_order_relaxed);
}
inline void set_entry_count(const Word* entry, uint32_t count) {
  std::atomic_ref(entry_word(entry).count).store(count, std::memory_order_relaxed);
}

/// A native function in the place of an Erlang one (erlang:load_nif/2). Functions that may be
/// replaced begin with the instruction nif_slot, whose operand is null or one of these; it is
/// stored once, so no code is patched and callers in every tier see it.
struct NativeFunction {
  /// The arguments are in x. A value, or a fault as of a BIF.
  using Call = Term (*)(Exec& c, const NativeFunction& f);
  Call call;
};

/// What somebody keeps beside a module as long as its code lives.
struct AttachedCode {
  virtual ~AttachedCode() = default;
};

struct Export {
  Term module, function;
  uint32_t arity;
  std::atomic<Word*> entry;           ///< where a call goes; never null
  void* bif = nullptr;                ///< native body (BifFn), if it is a BIF
  void* guard = nullptr;              ///< what instructions that name it call (GuardFn), if any do
  std::atomic<void*> body{nullptr};   ///< what a call runs: bif, or the way there of a traced one
  bool builtin = false;               ///< the machine implements it by an instruction
  std::atomic<bool> loaded{false};    ///< a loaded module exports it (or it is a BIF)
  std::atomic<bool> imported{false};  ///< a module that was loaded calls it
  std::atomic<uint32_t> order{0};     ///< see CodeTable::order_export; 0: none yet
  Word stub[6];                       ///< header and a stub instruction; &stub[4] is its entry
  Word* stub_entry() { return &stub[kHeaderWords]; }
  const Word* stub_entry() const { return &stub[kHeaderWords]; }
};

/// A fun as created by `fun` expressions: identified across loads by (module, old_uniq, index).
struct FunEntry {
  Term module;
  uint32_t old_index, old_uniq, index;
  uint8_t uniq[16];
  uint32_t arity;  ///< as called, without free variables
  uint32_t free_count;
  Term name;                          ///< of the lifted function ('-f/1-fun-0-'); nil while unknown
  std::atomic<Word*> entry{nullptr};  ///< null: its module is not loaded
};

/// Where in a source file.
struct SourceLocation {
  std::string_view file;
  Term file_pair = 0;  ///< {file, "name.erl"} as in stack traces, a literal of the module
  uint32_t line = 0;   ///< 0: unknown
};

/// Of a .beam file and the release of OTP that it is loaded for (module_images.h).
struct ImageKey {
  uint64_t low, high, bytes;
  uint64_t release;
  uint64_t beside = 0;  ///< of what is kept beside the module's image: a hash of what made it
};

struct Module {
  Term name;
  Word* code = nullptr;  ///< 16-byte aligned
  size_t code_words = 0;
  LiteralArea literals;
  std::vector<Term> records;  ///< templates of those it defines (term/record.h), literals
  std::string strings;        ///< StrT
  uint8_t md5[16];
  std::string attributes, compile_info;  ///< external terms, as in the file
  std::string path;

  struct Function {
    Term name;
    uint32_t arity;
    uint32_t start;              ///< word offset of the header
    uint32_t entry;              ///< word offset of the first instruction
    uint32_t first_instruction;  ///< in `instructions`
  };
  std::vector<Function> functions;  ///< in code order
  /// Which handler each instruction has (bytecode/instructions.h), function after function, without
  /// the headers: what code_words.h begins with and instruction_walk.h walks by.
  std::vector<uint16_t> instructions;
  bool from_image = false;  ///< module_image.h
  ImageKey image_key{};     ///< by which images of it are found; bytes 0: there are none
  bool warms_up = false;    ///< calls of its functions are counted until they are compiled
  /// Those that a native function may replace, by index in `functions`.
  std::vector<uint32_t> replaceable;
  bool declares_nifs = false;  ///< -nifs(): only those
  /// Where the native function of a replaceable one stands.
  std::atomic_ref<Word> native_slot(const Function& f) const {
    return std::atomic_ref(code[f.entry + 1]);
  }
  const NativeFunction* native_function(const Function& f) const {
    return reinterpret_cast<const NativeFunction*>(native_slot(f).load(std::memory_order_acquire));
  }
  /// The word behind `f`, which is one of `functions`.
  uint32_t end_of(const Function& f) const {
    return &f == &functions.back() ? static_cast<uint32_t>(code_words) : (&f)[1].start;
  }
  struct Exported {
    Export* target;
    uint32_t entry;
  };
  std::vector<Exported> exports;
  std::vector<Export*> imports;  ///< in the file's order, until it is loaded
  std::vector<FunEntry*> funs;
  std::vector<uint32_t> fun_entries;  ///< word offsets, beside funs

  struct LineEntry {
    uint32_t offset;  ///< from this word on
    uint32_t file : 8, line : 24;
  };
  std::vector<LineEntry> lines;  ///< ascending offsets
  struct SourceFile {
    std::string name;
    Term pair;  ///< {file, Name}, a literal
  };
  std::vector<SourceFile> files;

  uint32_t on_load_entry = 0;              ///< word offset, or 0
  Export on_load{};                        ///< makes it callable; set if there is one
  std::unique_ptr<ModulePatches> patches;  ///< what is set on its functions (code_words.h)
  std::unique_ptr<AttachedCode> native;    ///< compiled functions
  std::unique_ptr<AttachedCode> hot;       ///< those compiled once more
  std::unique_ptr<AttachedCode> nifs;      ///< the library that replaces some (vm/nif)
  bool contains(const Word* pc) const { return pc >= code && pc < code + code_words; }
  const Function* function_at(const Word* pc) const;
  SourceLocation location(const Word* pc) const;
  Module();
  ~Module();
};

}  // namespace wb
