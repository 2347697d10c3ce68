// What terms mean in one VM: the name of this node, the nodes it knows, who knows code, its magic
// references, and the release of OTP that it follows. See base/instance.h for how it is reached.
#pragma once

#include "base/instance.h"
#include "term/address.h"
#include "term/magic_registry.h"
#include "term/node_table.h"

namespace wb {

struct FunResolver;

constexpr int kOldestRelease = 25, kNewestRelease = 29;  ///< of OTP

class TermInstance final : public Instance {
 public:
  TermInstance();

  std::atomic<uint64_t> node;  ///< atom index | creation << 32: one word, so readers need no lock
  NodeTable nodes;             ///< others
  RemoteTable remotes{nodes};  ///< whom of theirs somebody here is linked to, watches, traces
  FunResolver* funs = nullptr;
  MagicRegistry magic;
  /// Of OTP, whose library runs here: where releases differ in what terms are, this one counts.
  int release = kOldestRelease;
};

/// Of this thread; null: it works for none.
inline TermInstance* term_instance() { return static_cast<TermInstance*>(this_instance); }
/// The release that this thread's VM follows.
inline int otp_release() {
  const TermInstance* t = term_instance();
  return t ? t->release : kOldestRelease;
}
/// 0.0 and -0.0 match each other, are one key and the same number.
inline bool zeros_match() { return otp_release() < 27; }

}  // namespace wb
