// erlang:phash2, bit-exact with OTP: it is part of files (dets) and of protocols.
//
// The mixing is in jenkins.h. The pairs of a map are hashed apart, each from 0, and xored, so that
// their order does not matter.
//
// Quirks that are the format: an atom or [] met while the hash is 0 becomes the hash unmixed;
// runs of bytes in lists go in four at a time; negative small integers go in twice; pids and
// references are seen by their first number only.
#include "base/stack.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/bits.h"
#include "term/external.h"
#include "term/hash.h"
#include "term/identifiers.h"
#include "term/jenkins.h"
#include "term/map.h"
#include "term/number.h"

namespace wb {

using namespace jenkins;

namespace {

constexpr uint32_t kNilAlone = 3468870702u;

class Phash2 {
  static constexpr int64_t kSmallLimit = int64_t{1} << 27;
  static constexpr size_t kFewBits = 64 * 8;

 public:
  explicit Phash2(WorkBudget& budget) : budget_(budget) {}

  uint32_t run(Term t) {
    term(t);
    while (!todo_.empty() && budget_.step()) {
      Item& item = todo_.top();
      switch (item.what) {
        case words: {
          uint32_t hash = hash_;
          while (item.n != 0 && with_leaf(&hash, *item.words) && budget_.step()) {
            ++item.words;
            --item.n;
          }
          hash_ = hash;
          if (item.n == 0) {
            todo_.pop();
            break;
          }
          t = *item.words++;
          if (--item.n == 0) todo_.pop();
          term(t);
          break;
        }
        case children:
          t = *item.words++;
          if (--item.n == 0) todo_.pop();
          if (is_cons(t))
            pair(cons_ptr(t), cons_ptr(t) + 1);
          else
            todo_.push({children, boxed_ptr(t) + 1, header_size(header_of(t))});
          break;
        case value:
          item.what = pair_end;
          hash_ = item.hash;
          term(*item.words);
          break;
        case pair_end:
          todo_.pop();
          pairs_ ^= hash_;
          hash_ = 0;
          break;
        case map_end:
          hash_ = mixed(item.hash, pairs_, 0, salt(kPairsSalt));
          pairs_ = item.pairs;
          todo_.pop();
          break;
      }
    }
    return hash_;
  }

 private:
  enum What { words, children, value, pair_end, map_end };
  struct Item {
    What what;
    const Term* words = nullptr;
    size_t n = 0;
    uint32_t hash = 0, pairs = 0;
  };

  void add(uint32_t x, uint32_t y, uint32_t salt) { hash_ = mixed(hash_, x, y, salt); }

  void push(const Term* p, size_t n) {
    if (n != 0) todo_.push({words, p, n});
  }

  WB_INLINE void term(Term t) {
    if (is_cons(t))
      list(t);
    else if (is_boxed(t))
      boxed(t, boxed_ptr(t));
    else
      immediate(t);
  }

  // What has no parts. The hash stays in a register while there is nothing else.
  static WB_INLINE bool with_leaf(uint32_t* hash, Term t) {
    if (is_immediate(t)) {
      *hash = with_immediate(*hash, t);
      return true;
    }
    if (is_cons(t)) return false;
    switch (header_kind(header_of(t))) {
      case Kind::flo:
        *hash = with_float(*hash, t);
        return true;
      case Kind::heap_bin:
      case Kind::sub_bin:
        return with_few_bytes(hash, bits_in(t));
      default:
        return false;
    }
  }

  void immediate(Term t) { hash_ = with_immediate(hash_, t); }

  static WB_INLINE uint32_t with_immediate(uint32_t hash, Term t) {
    if (is_small(t)) {
      if (WB_LIKELY(t < make_small(kSmallLimit)))
        return mixed(hash, static_cast<uint32_t>(small_value(t)), 0, kGolden);
    } else if (is_nil(t)) {
      return hash == 0 ? kNilAlone : mixed(hash, 2, 0, salt(kNilSalt));
    } else if (is_atom(t)) {
      return hash == 0 ? atom_hash(t) : mixed(hash, atom_hash(t), 0, salt(kAtomSalt));
    }
    return with_other(hash, t);
  }
  static WB_NOINLINE uint32_t with_other(uint32_t hash, Term t) {
    if (is_small(t)) return with_small(hash, small_value(t));
    if (is_local_pid(t)) return mixed(hash, pid_slot(t), 0, salt(kPidSalt));
    return with_port(hash, port_data(t));
  }
  static uint32_t with_small(uint32_t hash, int64_t v) {
    if (v >= kSmallLimit || v < -kSmallLimit) {
      return with_limb(hash, static_cast<uint64_t>(v < 0 ? -v : v), v < 0);
    }
    if (v < 0) hash = mixed(hash, static_cast<uint32_t>(-v), 0, kGolden);
    return mixed(hash, static_cast<uint32_t>(v), 0, kGolden);
  }

  static uint32_t with_float(uint32_t hash, Term t) {
    double d = float_value(t);
    uint64_t bits = 0;
    if (d != 0) memcpy(&bits, &d, sizeof bits);  // 0.0 =:= -0.0
    return mixed(hash, static_cast<uint32_t>(bits >> 32), static_cast<uint32_t>(bits),
                 salt(kFloatSalt));
  }

  static bool with_few_bytes(uint32_t* hash, const Bits& bits) {
    if (bits.size > kFewBits || (bits.size & 7) != 0 || bits.offset != 0) return false;
    *hash += salt(kBytesSalt);
    UnlimitedBudget budget;
    if (bits.size != 0) *hash = hash_bytes(bits.bytes, bits.size / 8, *hash, budget);
    return true;
  }

  static uint32_t with_limb(uint32_t hash, uint64_t limb, bool negative) {
    return mixed(hash, static_cast<uint32_t>(limb), static_cast<uint32_t>(limb >> 32),
                 salt(negative ? kNegativeSalt : kPositiveSalt));
  }

  static uint32_t with_port(uint32_t hash, uint64_t n) {
    return mixed(hash, static_cast<uint32_t>(n), static_cast<uint32_t>(n >> 32), salt(kPortSalt));
  }

  void list(Term t) {
    uint32_t hash = hash_;
    while (is_cons(t)) {
      t = string(t, &hash);
      if (!is_cons(t) || !budget_.step()) break;
      if (!with_leaf(&hash, head(t))) {
        push(cons_ptr(t), 2);
        hash_ = hash;
        return;
      }
      t = tail(t);
    }
    hash_ = hash;
    push_tail(t);
  }

  // Hashes the bytes the list starts with; returns what comes after them.
  WB_INLINE Term string(Term t, uint32_t* hash) {
    uint32_t four = 0, n = 0;
    for (; is_cons(t); t = tail(t)) {
      Term x = head(t);
      if (!is_small(x) || x > make_small(255)) break;
      four = four << 8 | static_cast<uint32_t>(small_value(x));
      if (++n % 4 == 0) {
        *hash = mixed(*hash, four, 0, salt(kStringSalt));
        four = 0;
        if (!budget_.steps(4)) break;
      }
    }
    if (n % 4 != 0) *hash = mixed(*hash, four, 0, salt(kStringSalt));
    return t;
  }

  void push_tail(Term t) {
    if (is_boxed(t))
      boxed(t, boxed_ptr(t));
    else if (!is_cons(t))  // else it was stopped
      immediate(t);
  }

  void boxed(Term t, const Term* p) {
    size_t size = header_size(*p);
    switch (header_kind(*p)) {
      case Kind::tuple:
        add(static_cast<uint32_t>(size), 0, salt(kTupleSalt));
        push(p + 1, size);
        break;
      case Kind::record: {
        // The definition as a tuple of its own, from 0; values in its order. (OTP has them in the
        // order of its atom table, an accident of each run.)
        Phash2 definition(budget_);
        add(static_cast<uint32_t>(size - 1), definition.run(p[1]), salt(kRecordSalt));
        push(p + 2, size - 1);
        break;
      }
      case Kind::big_pos:
      case Kind::big_neg:
        for (size_t i = 1; i <= size; ++i) hash_ = with_limb(hash_, p[i], big_negative(t));
        break;
      case Kind::flo:
        hash_ = with_float(hash_, t);
        break;
      case Kind::flatmap:
      case Kind::hashmap:
        map(t);
        break;
      case Kind::heap_bin:
      case Kind::refc_bin:
      case Kind::sub_bin:
        hash_ = hash_bitstring(hash_, t, budget_);
        break;
      default:
        opaque(t, p, size);
    }
  }

  void map(Term t) {
    add(static_cast<uint32_t>(map_size(t)), 0, salt(kMapSalt));
    if (map_size(t) == 0) return;
    todo_.push({map_end, nullptr, 0, hash_, pairs_});
    hash_ = pairs_ = 0;
    if (is_hashmap(t)) {
      todo_.push({children, boxed_ptr(t) + 2, header_size(header_of(t)) - 1});
      return;
    }
    const Term* keys = boxed_ptr(flatmap_keys(t)) + 1;
    for (size_t i = 0; i < map_size(t); ++i) pair(keys + i, flatmap_values(t) + i);
  }

  void pair(const Term* key, const Term* v) {
    uint32_t hash = 0;
    if (!with_leaf(&hash, *key)) {
      todo_.push({pair_end});
      push(v, 1);
      push(key, 1);
    } else if (with_leaf(&hash, *v)) {
      pairs_ ^= hash;
      budget_.step();
    } else {
      todo_.push({value, v, 1, hash});
    }
  }

  void opaque(Term t, const Term* p, size_t size) {
    switch (header_kind(*p)) {
      case Kind::fun: {
        auto f = fun_resolver().describe_fun(reinterpret_cast<void*>(p[1]));
        add(static_cast<uint32_t>(size - 3), atom_hash(f.module), kGolden);
        add(f.old_index, f.old_uniq, kGolden);
        push(p + 4, size - 3);
        break;
      }
      case Kind::export_fun: {
        auto f = fun_resolver().describe_export(reinterpret_cast<void*>(p[1]));
        add(f.arity, atom_hash(f.module), kGolden);
        add(atom_hash(f.function), 0, salt(kNameSalt));
        break;
      }
      case Kind::ext_pid:
        add(static_cast<uint32_t>(pid_data(t)), 0, salt(kPidSalt));
        break;
      case Kind::ext_port:
        hash_ = with_port(hash_, port_data(t));
        break;
      default:
        WB_CHECK(is_ref(t));
        add(ref_numbers(t).number(0), 0, salt(kRefSalt));
    }
  }

  WorkBudget& budget_;
  uint32_t hash_ = 0;
  uint32_t pairs_ = 0;  // of the innermost map: its pairs so far
  Stack<Item> todo_;
};

}  // namespace

uint32_t phash2(Term t, WorkBudget& budget) {
  Phash2 h(budget);
  return h.run(t);
}

}  // namespace wb
