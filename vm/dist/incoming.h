// What a control message from another node means here.
#pragma once

#include <span>

#include "vm/dist/connection.h"
#include "vm/process/exec.h"

namespace wb {

class Incoming {
 public:
  explicit Incoming(Connection& c);
  /// `rest`: what follows the control message; `whole`: in which it lies, or null. False: it makes
  /// no sense.
  bool handle(Term control, const uint8_t* rest, size_t size, std::span<const Term> atoms,
              Binary* whole);
  /// handle() was false since the payload is no term.
  bool corrupted() const { return corrupted_; }

 private:
  bool send_corrupted(Address to, uint64_t alias);
  bool send(Term to, Term token);
  bool send_to_name(Term name, Term token);
  bool send_to_alias(Term ref, Term token);
  bool link(Term from, Term to);
  bool unlink(Term id, Term from, Term to);
  bool unlink_ack(Term id, Term from, Term to);
  bool exit(Term from, Term to, Term reason, Term token);
  bool exit2(Term from, Term to, Term reason, Term token);
  bool monitor(Term from, Term to, Term ref);
  bool demonitor(Term ref);
  bool monitor_exit(Term from, Term to, Term ref, Term reason);
  bool group_leader(Term leader, Term to);
  bool spawn_request(const Term* e, Term token);
  bool spawn_reply(const Term* e, Term token);

  bool mark_message(Signal* s, Term token);
  bool mark_exit(Signal* s, Term token);
  /// The payload, as the term of a signal of this kind. Null: it is malformed.
  Signal* with_payload(SignalKind kind);
  /// The same of `reason`, or of the payload if that is kNone.
  Signal* with_reason(SignalKind kind, Term reason);
  bool corrupted_ = false;
  bool from_there(Term pid) const;
  /// A pid or port of ours; kNone: nobody, or one of an earlier incarnation.
  static Term here(Term t);

  Connection& c_;
  Vm& vm_;
  const uint8_t* rest_ = nullptr;
  size_t size_ = 0;
  std::span<const Term> atoms_;
  Binary* whole_ = nullptr;
};

}  // namespace wb
