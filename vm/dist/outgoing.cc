#include "vm/dist/outgoing.h"

#include <initializer_list>

#include "term/copy.h"
#include "term/fault.h"

namespace wb {

namespace {

constexpr Term kUnused = am::empty;
constexpr char kPassThrough = 112;

/// The control message, and what follows it (kNone: nothing).
struct Message {
  Term control, payload;
};

class Control {
 public:
  Control(const Outgoing& o, uint64_t flags, Heap& h) : o_(o), flags_(flags), heap_(h) {}

  /// kNone as control: the other node cannot be told.
  Message make() {
    switch (o_.op) {
      case DistOp::send_sender:
        if (can(dist_flag::send_sender)) {
          return with_token(DistOp::send_sender, DistOp::send_sender_tt, {o_.from, o_.to});
        }
        return with_token(DistOp::send, DistOp::send_tt, {kUnused, o_.to});
      case DistOp::reg_send:
        return with_token(DistOp::reg_send, DistOp::reg_send_tt, {o_.from, kUnused, o_.to});
      case DistOp::alias_send:
        if (!can(dist_flag::alias)) return {kNone, kNone};
        return with_token(DistOp::alias_send, DistOp::alias_send_tt, {o_.from, o_.ref});
      case DistOp::payload_exit:
        if (can(dist_flag::exit_payload)) {
          return with_token(DistOp::payload_exit, DistOp::payload_exit_tt, {o_.from, o_.to});
        }
        return reason_inside(DistOp::exit, DistOp::exit_tt);
      case DistOp::payload_exit2:
        if (can(dist_flag::exit_payload)) {
          return with_token(DistOp::payload_exit2, DistOp::payload_exit2_tt, {o_.from, o_.to});
        }
        return reason_inside(DistOp::exit2, DistOp::exit2_tt);
      case DistOp::payload_monitor_p_exit:
        if (can(dist_flag::exit_payload)) {
          return {control(DistOp::payload_monitor_p_exit, {o_.from, o_.to, o_.ref}), o_.payload};
        }
        return {control(DistOp::monitor_p_exit, {o_.from, o_.to, o_.ref, o_.payload}), kNone};
      case DistOp::link:
        return {control(DistOp::link, {o_.from, o_.to}), kNone};
      case DistOp::unlink_id:
        if (!can(dist_flag::unlink_id)) return {control(DistOp::unlink, {o_.from, o_.to}), kNone};
        return {control(DistOp::unlink_id, {o_.ref, o_.from, o_.to}), kNone};
      case DistOp::unlink_id_ack:
        if (!can(dist_flag::unlink_id)) return {kNone, kNone};
        return {control(DistOp::unlink_id_ack, {o_.ref, o_.from, o_.to}), kNone};
      case DistOp::monitor_p:
      case DistOp::demonitor_p:
        return {control(o_.op, {o_.from, o_.to, o_.ref}), kNone};
      case DistOp::group_leader:
        return {control(DistOp::group_leader, {o_.from, o_.to}), kNone};
      case DistOp::spawn_request:
        if (!can(dist_flag::spawn)) return {kNone, kNone};
        return with_token(DistOp::spawn_request, DistOp::spawn_request_tt,
                          {o_.ref, o_.from, o_.to, o_.data, o_.options});
      case DistOp::spawn_reply: {
        Message m = with_token(DistOp::spawn_reply, DistOp::spawn_reply_tt,
                               {o_.ref, o_.to, o_.options, o_.data});
        return {m.control, kNone};
      }
      // Variants of those, which make() chooses, and what is never said any more.
      case DistOp::send:
      case DistOp::exit:
      case DistOp::unlink:
      case DistOp::node_link:
      case DistOp::exit2:
      case DistOp::send_tt:
      case DistOp::exit_tt:
      case DistOp::reg_send_tt:
      case DistOp::exit2_tt:
      case DistOp::monitor_p_exit:
      case DistOp::send_sender_tt:
      case DistOp::payload_exit_tt:
      case DistOp::payload_exit2_tt:
      case DistOp::spawn_request_tt:
      case DistOp::spawn_reply_tt:
      case DistOp::alias_send_tt:
        break;
    }
    WB_CHECK(!"no operation of an Outgoing");
    return {kNone, kNone};
  }

 private:
  bool can(uint64_t flag) const { return flags_ & flag; }

  Term control(DistOp op, std::initializer_list<Term> operands) {
    Term* e;
    Term t = new_tuple(heap_, 1 + operands.size(), &e);
    *e++ = make_small(static_cast<int64_t>(op));
    for (Term operand : operands) *e++ = operand;
    return t;
  }
  Message with_token(DistOp op, DistOp op_tt, std::initializer_list<Term> operands) {
    if (o_.token == kNone) return {control(op, operands), o_.payload};
    Term* e;
    Term t = new_tuple(heap_, 2 + operands.size(), &e);
    *e++ = make_small(static_cast<int64_t>(op_tt));
    for (Term operand : operands) *e++ = operand;
    *e = o_.token;
    return {t, o_.payload};
  }
  Message reason_inside(DistOp op, DistOp op_tt) {
    if (o_.token == kNone) return {control(op, {o_.from, o_.to, o_.payload}), kNone};
    return {control(op_tt, {o_.from, o_.to, o_.token, o_.payload}), kNone};
  }

  const Outgoing& o_;
  const uint64_t flags_;
  Heap& heap_;
};

}  // namespace

bool encode(const Outgoing& o, uint64_t flags, Encoded* e, WorkBudget& budget) {
  FragmentHeap h(16);
  const Message m = Control(o, flags, h).make();
  if (is_fault(m.control)) return false;
  e->plain = !(flags & dist_flag::atom_cache);
  if (e->plain) {
    e->body.own() += kPassThrough;
    e->body.own() += static_cast<char>(131);
    if (!encode_dist_term(m.control, nullptr, &e->body, budget, &e->too_large)) return false;
    if (is_fault(m.payload)) return true;
    e->body.own() += static_cast<char>(131);
    return encode_dist_term(m.payload, nullptr, &e->body, budget, &e->too_large);
  }
  if (!encode_dist_term(m.control, &e->atoms, &e->body, budget, &e->too_large)) return false;
  return is_fault(m.payload) ||
         encode_dist_term(m.payload, &e->atoms, &e->body, budget, &e->too_large);
}

HeldOutgoing::HeldOutgoing(const Outgoing& o) : o_(o) {
  Term* const terms[] = {&o_.from, &o_.to, &o_.ref, &o_.data, &o_.options, &o_.payload, &o_.token};
  size_t words = 0;
  for (const Term* t : terms) words += is_value(*t) ? flat_size(*t) : 0;
  if (words == 0) return;
  FragmentHeap h(words);
  for (Term* t : terms) {
    if (is_value(*t)) *t = copy_term(h, *t);
  }
  fragment_ = h.take_fragments();
}
size_t HeldOutgoing::bytes() const {
  size_t words = 0;
  for (const HeapFragment* f = fragment_; f; f = f->next) words += f->used + f->off_heap_words;
  return sizeof(Outgoing) + words * sizeof(Word);
}

}  // namespace wb
