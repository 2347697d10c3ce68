// What is said to another node, and its bytes.
//
// An Outgoing is a control message as the newest nodes understand it: an operation of dist_ops.def
// without its variants, and its operands. encode() chooses the variant by what the other node can
// do (dist_flags.def); what an older one cannot be told at all is dropped there.
#pragma once

#include "gc/fragment.h"
#include "term/external_dist.h"
#include "term/term.h"
#include "vm/dist/dist_flags.h"

namespace wb {

enum class DistOp : uint8_t {
#define DIST_OP(name, number, elements, payload) name = number,
#include "vm/dist/dist_ops.def"
};

struct Outgoing {
  /// One of: send_sender, reg_send, alias_send, link, unlink_id, unlink_id_ack, payload_exit,
  /// payload_exit2, monitor_p, demonitor_p, payload_monitor_p_exit, group_leader, spawn_request,
  /// spawn_reply.
  DistOp op;
  Term from = kNil, to = kNil;
  Term ref = kNil;  ///< of a monitor, a request, an alias; the number of an unlink
  Term data = kNil,
       options = kNil;  ///< of a request: {M, F, A}, options; of its reply: flags, result
  Term payload = kNone;
  Term token = kNone;
};

/// Without what only the connection can say: the header.
struct Encoded {
  AtomRefs atoms;
  SplicedBytes body;
  bool plain = false;      ///< the other node keeps no cache: `body` is all
  bool too_large = false;  ///< no message can say it
};

/// False: `budget` stopped it, the other node cannot be told, or e->too_large.
bool encode(const Outgoing& o, uint64_t flags, Encoded* e, WorkBudget& budget);

/// An Outgoing whose terms are its own.
class HeldOutgoing {
 public:
  explicit HeldOutgoing(const Outgoing& o);
  HeldOutgoing(HeldOutgoing&& other) noexcept : o_(other.o_), fragment_(other.fragment_) {
    other.fragment_ = nullptr;
  }
  HeldOutgoing& operator=(HeldOutgoing&&) = delete;
  ~HeldOutgoing() {
    if (fragment_) free_fragments(fragment_);
  }
  const Outgoing& get() const { return o_; }
  /// What it takes, off-heap data included.
  size_t bytes() const;

 private:
  Outgoing o_;
  HeapFragment* fragment_ = nullptr;
};

}  // namespace wb
