// The external term format, both ways: OTP's, as the ERTS User's Guide describes it ("External Term
// Format"), with the choices that OTP 25 makes where there are several (external_tags.h).
#pragma once

#include <string>
#include <vector>

#include "base/work_budget.h"
#include "term/fault.h"
#include "term/heap.h"
#include "term/instance.h"
#include "term/node_table.h"

namespace wb {

/// Atoms are written as Latin-1 where they can be; since OTP 26 all are UTF-8.
inline int default_minor_version() { return otp_release() < 26 ? 1 : 2; }

struct EncodeOptions {
  int compressed = -1;                          ///< zlib level 0..9, or -1
  int minor_version = default_minor_version();  ///< 0, 1, 2
  bool deterministic = false;
  struct Part {
    size_t at;  ///< where in the output
    Term binary;
  };
  /// If given, binaries of more than least_part bytes are named here and not written.
  std::vector<Part>* parts = nullptr;
  size_t least_part = 64;  ///< bytes; one of no more is no part of its own
};
/// Appends the encoding including the leading 131. A step a term and for 16 bytes of a binary;
/// kNone, kCancelled when `budget` stopped it, kSystemLimit when a binary is too large to be
/// written.
[[nodiscard]] Term encode_term(Term t, const EncodeOptions& options, std::vector<uint8_t>* out,
                               WorkBudget& budget);
/// False: a binary is too large.
inline bool encode_term(Term t, const EncodeOptions& options, std::vector<uint8_t>* out) {
  UnlimitedBudget budget;
  return encode_term(t, options, out, budget) == kNone;
}
/// The same as a binary, or a fault as there.
Term encode_to_binary(Heap& h, Term t, const EncodeOptions& options, WorkBudget& budget);
/// erlang:external_size/1: the size of the uncompressed encoding, including the 131 (a few bytes
/// more for funs, as OTP counts).
size_t external_size(Term t, int minor_version, WorkBudget& budget);
inline size_t external_size(Term t, int minor_version = default_minor_version()) {
  UnlimitedBudget budget;
  return external_size(t, minor_version, budget);
}

struct DecodeOptions {
  bool safe = false;  ///< no new atoms, no new external funs
  /// Maps may have a key twice; the later one wins. (Compilers of OTP 27 know of two zeros.)
  bool keys_twice = false;
};
/// Decodes one term (leading 131). kBadarg for anything malformed: the input is hostile. *used, if
/// given, becomes the number of bytes read. Iterative; never allocates more than the input can
/// justify. A step a term and for 16 bytes of a binary; kCancelled when `budget` stopped it.
Term decode_term(Heap& h, const uint8_t* bytes, size_t size, const DecodeOptions& options,
                 size_t* used, WorkBudget& budget);
inline Term decode_term(Heap& h, const uint8_t* bytes, size_t size,
                        const DecodeOptions& options = {}, size_t* used = nullptr) {
  UnlimitedBudget budget;
  return decode_term(h, bytes, size, options, used, budget);
}

/// What the codec must know of code to make and take apart funs (TermInstance::funs).
struct FunResolver {
  virtual ~FunResolver() = default;
  /// A FunEntry* for a local fun, made (unloaded) if unknown.
  virtual void* fun_entry(Term module, uint32_t old_index, uint32_t old_uniq, uint32_t index,
                          const uint8_t uniq[16], uint32_t arity, uint32_t free_count) = 0;
  /// An Export* for fun M:F/A.
  virtual void* export_entry(Term module, Term function, uint32_t arity) = 0;
  /// False if no loaded code has or calls M:F/A (option `safe`).
  virtual bool export_exists(Term /*module*/, Term /*function*/, uint32_t /*arity*/) {
    return true;
  }
  struct FunFacts {
    Term module;
    uint32_t old_index, old_uniq, index, arity;
    const uint8_t* uniq;  // 16 bytes
    Term name;
  };
  virtual FunFacts describe_fun(void* fun_entry) = 0;
  struct ExportFacts {
    Term module, function;
    uint32_t arity;
  };
  virtual ExportFacts describe_export(void* export_entry) = 0;
};
/// The resolver print, compare, hash and the codec use: of this thread's instance.
FunResolver& fun_resolver();

}  // namespace wb
