// erlang:phash, the older portable hash (OTP's dict and sets use it), bit-exact.
//
// A running polynomial: hash * prime + byte, with a prime per type. Containers finish with a step
// of their own after their parts: lists a multiplication, tuples their size.
#include "base/stack.h"
#include "base/work_budget.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/external.h"
#include "term/hash.h"
#include "term/identifiers.h"
#include "term/number.h"

namespace wb {
namespace {

constexpr uint32_t kAtom = 268440163, kInteger = 268439161, kPositive = 268435459,
                   kNegative = 268436141, kPid = 268438633, kPidEnd = 268437017, kFloat = kPidEnd,
                   kListEnd = 268437511, kTuple = 268439627, kRef = kTuple, kRefEnd = 268440479,
                   kFun = kRefEnd, kExport = 268440577, kBits = 268440581, kMap = 268440593,
                   kMapPlus = 268440611, kByte = kAtom, kBytesEnd = kNegative;

class Phash {
 public:
  explicit Phash(WorkBudget& budget) : budget_(budget) {}

  uint32_t run(Term t) {
    term(t);
    while (!todo_.empty() && budget_.step()) {
      Item& item = todo_.top();
      if (item.n > 0) {
        --item.n;
        term(*item.words++);
      } else {
        Item last = todo_.pop();
        hash_ = hash_ * last.prime + last.plus;
        if (last.rest != kNone) list(last.rest);
      }
    }
    return hash_;
  }

 private:
  struct Item {
    const Term* words;  // still to come
    size_t n;
    uint32_t prime, plus;  // then the last step
    Term rest = kNone;     // then these cells of a list
  };

  void step(uint32_t x, uint32_t prime) { hash_ = hash_ * prime + x; }
  void step4(uint32_t x, uint32_t prime) {
    for (int i = 0; i < 4; ++i, x >>= 8) step(x & 0xff, prime);
  }

  void term(Term t) {
    if (is_cons(t)) {
      todo_.push({nullptr, 0, kListEnd, 0});
      list(t);
    } else if (is_boxed(t)) {
      boxed(t, boxed_ptr(t));
    } else {
      immediate(t);
    }
  }

  void immediate(Term t) {
    if (is_small(t)) {
      int64_t v = small_value(t);
      uint64_t magnitude = static_cast<uint64_t>(v < 0 ? -v : v);
      step4(static_cast<uint32_t>(magnitude), kInteger);
      if (magnitude >> 32) step4(static_cast<uint32_t>(magnitude >> 32), kInteger);
      hash_ *= v < 0 ? kNegative : kPositive;
    } else if (is_atom(t)) {
      step(atom_hash(t), kAtom);
    } else if (is_nil(t)) {
      step(1, kPositive);
    } else if (is_local_pid(t)) {
      pid(t);
    } else {
      port(t);
    }
  }

  void pid(Term t) {
    step4(static_cast<uint32_t>(pid_data(t)), kPid);
    hash_ *= kPidEnd;
  }

  void port(Term t) {
    step4(static_cast<uint32_t>(port_data(t)), kRef);
    if (port_data(t) >> 32) step4(static_cast<uint32_t>(port_data(t) >> 32), kRef);
    hash_ *= kRefEnd;
  }

  // The cells from `t` on, up to an element to descend into.
  void list(Term t) {
    for (; is_cons(t) && budget_.step(); t = tail(t)) {
      Term x = head(t);
      if (is_small(x) && x <= make_small(255)) {
        step(static_cast<uint32_t>(small_value(x)), kInteger);
      } else if (is_immediate(x)) {
        immediate(x);
      } else {
        todo_.push({cons_ptr(t), 1, 1, 0, tail(t)});
        return;
      }
    }
    if (is_boxed(t))
      boxed(t, boxed_ptr(t));
    else if (!is_cons(t))  // else it was stopped
      immediate(t);
  }

  void boxed(Term t, const Term* p) {
    size_t size = header_size(*p);
    switch (header_kind(*p)) {
      case Kind::tuple:
      case Kind::record:
        todo_.push({p + 1, size, kTuple, static_cast<uint32_t>(size)});
        break;
      case Kind::big_pos:
      case Kind::big_neg:
        big(p, size);
        hash_ *= big_negative(t) ? kNegative : kPositive;
        break;
      case Kind::flo: {
        double d = float_value(t);
        uint64_t bits = 0;
        if (d != 0) memcpy(&bits, &d, sizeof bits);
        step(static_cast<uint32_t>(bits) ^ static_cast<uint32_t>(bits >> 32), kFloat);
        break;
      }
      case Kind::flatmap:
      case Kind::hashmap:
        hash_ = hash_ * kMap + kMapPlus + phash2(t, budget_);
        break;
      case Kind::heap_bin:
      case Kind::refc_bin:
      case Kind::sub_bin:
        bitstring(t);
        break;
      default:
        opaque(t, p, size);
    }
  }

  void big(const Term* p, size_t size) {
    for (size_t i = 1; i <= size; ++i) {
      step4(static_cast<uint32_t>(p[i]), kInteger);
      uint32_t high = static_cast<uint32_t>(p[i] >> 32);
      if (i < size || high != 0) step4(high, kInteger);
    }
  }

  void bitstring(Term t) {
    Bits bits = bits_of(t);
    ByteView whole(t);
    in_chunks(whole.size(), budget_, [&](size_t at, size_t n) {
      for (size_t i = at; i < at + n; ++i) step(whole.data()[i], kByte);
    });
    uint32_t rest = bits.size & 7;
    if (rest != 0) {
      uint8_t last = 0;
      copy_bits(&last, 8 - rest, bits.bytes, bits.offset + bits.size - rest, rest);
      step(last, kByte);
      step(rest, kBits);
    }
    step(static_cast<uint32_t>(whole.size()), kBytesEnd);
  }

  void opaque(Term t, const Term* p, size_t size) {
    switch (header_kind(*p)) {
      case Kind::fun: {
        auto f = fun_resolver().describe_fun(reinterpret_cast<void*>(p[1]));
        step(static_cast<uint32_t>(size - 3), kFun);
        step(atom_hash(f.module), kAtom);
        step(f.old_index, kInteger);
        step(f.old_uniq, kInteger);
        todo_.push({p + 4, size - 3, 1, 0});
        break;
      }
      case Kind::export_fun: {
        auto f = fun_resolver().describe_export(reinterpret_cast<void*>(p[1]));
        step(f.arity, kExport);
        step(atom_hash(f.module), kAtom);
        step(atom_hash(f.function), kAtom);
        break;
      }
      case Kind::ext_pid:
        pid(t);
        break;
      case Kind::ext_port:
        port(t);
        break;
      default:
        WB_CHECK(is_ref(t));
        step4(ref_numbers(t).number(0), kRef);
        hash_ *= kRefEnd;
    }
  }

  WorkBudget& budget_;
  uint32_t hash_ = 0;
  Stack<Item> todo_;
};

}  // namespace

uint32_t phash(Term t, WorkBudget& budget) {
  Phash h(budget);
  return h.run(t);
}

}  // namespace wb
