// What OTP 25 mixes in, in this order: for each container a number that tells its kind and size,
// then its parts. A list is the bytes it begins with, four at a time, then for each other element a
// constant and the element, and a constant and the tail behind the last. A large map as a key is
// its pairs from the last to the first.
#include "term/trie_hash.h"

#include <array>

#include "base/stack.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/bits.h"
#include "term/external.h"
#include "term/hash.h"
#include "term/identifiers.h"
#include "term/map.h"
#include "term/number.h"

namespace wb {

using namespace jenkins;

namespace {

class TrieHash {
 public:
  explicit TrieHash(uint32_t seed) : hash_(seed) {}

  uint32_t run(Term t) {
    for (;;) {
      if (is_cons(t)) {
        t = list(t);
        continue;
      }
      if (is_boxed(t))
        boxed(t, boxed_ptr(t));
      else
        immediate(t);
      if (todo_.empty()) return hash_;
      t = todo_.pop();
      if (t == kNone) {  // what follows is the end of a list
        mix_salt(kTailSalt);
        t = todo_.pop();
      }
    }
  }

 private:
  void add(uint32_t x, uint32_t y, uint32_t by) { hash_ = mixed(hash_, x, y, salt(by)); }
  void word(uint64_t w, uint32_t by) { hash_ = mixed_word(hash_, w, salt(by)); }
  void mix_salt(uint32_t by) {
    hash_ ^= salt(by);
    hash_ = hash_ << 17 | hash_ >> 15;
  }

  /// As words of OTP: the tag of an integer is 15, of an atom 11.
  void immediate(Term t) {
    constexpr uint64_t kNilWord = 0x3b;
    word(is_small(t)  ? t | 15
         : is_nil(t)  ? kNilWord
         : is_atom(t) ? uint64_t{atom_text_hash(t)} << 6 | 11
                      : t,
         kWordSalt);
  }

  /// What comes next.
  Term list(Term t) {
    uint32_t four = 0, n = 0;
    for (; is_cons(t) && is_small(head(t)) && head(t) <= make_small(255); t = tail(t)) {
      four = four << 8 | static_cast<uint32_t>(small_value(head(t)));
      if (++n % 4 != 0) continue;
      add(four, 0, kStringSalt);
      four = 0;
    }
    if (n % 4 != 0) add(four, n % 4, kStringEndSalt);
    if (!is_cons(t)) return t;
    mix_salt(kHeadSalt);
    todo_.push(tail(t));
    if (!is_cons(tail(t))) todo_.push(kNone);
    return head(t);
  }

  void elements(const Term* p, size_t n) {
    size_t k = 0;
    while (k < n && is_immediate(p[k])) immediate(p[k++]);
    while (n > k) todo_.push(p[--n]);
  }

  void boxed(Term t, const Term* p) {
    size_t size = header_size(*p);
    switch (header_kind(*p)) {
      case Kind::tuple:
        add(static_cast<uint32_t>(size), 0, kTupleSalt);
        return elements(p + 1, size);
      case Kind::record:
        add(static_cast<uint32_t>(size), 1, kTupleSalt);
        return elements(p + 1, size);
      case Kind::flatmap:
      case Kind::hashmap:
        return map(t);
      case Kind::big_pos:
      case Kind::big_neg:
        for (size_t i = 1; i <= size; ++i)
          word(p[i], big_negative(t) ? kNegativeSalt : kPositiveSalt);
        return;
      case Kind::flo: {
        double d = float_value(t);
        uint64_t bits = 0;
        if (d != 0) memcpy(&bits, &d, sizeof bits);  // 0.0 =:= -0.0
        return word(bits, kFloatSalt);
      }
      case Kind::heap_bin:
      case Kind::refc_bin:
      case Kind::sub_bin: {
        UnlimitedBudget budget;
        hash_ = hash_bitstring(hash_, t, budget);
        return;
      }
      default:
        return opaque(t, p, size);
    }
  }

  void map(Term t) {
    add(static_cast<uint32_t>(map_size(t)), 0, kMapSalt);
    if (is_flatmap(t)) {
      const Term *keys = boxed_ptr(flatmap_keys(t)) + 1, *values = flatmap_values(t);
      for (size_t i = map_size(t); i-- > 0;) {
        todo_.push(values[i]);
        todo_.push(keys[i]);
      }
      return;
    }
    Term key, value;
    for (MapIterator i(t); i.next(&key, &value);) {
      todo_.push(value);
      todo_.push(key);
    }
  }

  void opaque(Term t, const Term* p, size_t size) {
    switch (header_kind(*p)) {
      case Kind::fun: {
        auto f = fun_resolver().describe_fun(reinterpret_cast<void*>(p[1]));
        add(static_cast<uint32_t>(size - 3), static_cast<uint32_t>(atom_text_hash(f.module)),
            kFunSalt);
        add(f.old_index, f.old_uniq, kFunIndexSalt);
        return elements(p + 4, size - 3);
      }
      case Kind::export_fun: {
        auto f = fun_resolver().describe_export(reinterpret_cast<void*>(p[1]));
        immediate(f.module);
        immediate(f.function);
        return add(f.arity, 0, kNameSalt);
      }
      case Kind::ext_pid:
      case Kind::ext_port:
        immediate(owned_node(p).name.name);
        return word(p[3], kPidSalt);
      default: {
        WB_CHECK(is_ref(t));
        RefNumbers r = ref_numbers(t);
        size_t n = r.significant_words();
        for (size_t i = 0; i < n; ++i) word(r.words[i], i == 0 ? kRefSalt : kRefRestSalt);
      }
    }
  }

  uint32_t hash_;
  Stack<Term> todo_;
};

}  // namespace

namespace {

constexpr uint32_t kKnownArities = 8;
constexpr auto kTupleStarts = [] {
  std::array<uint32_t, kKnownArities> starts{};
  for (uint32_t n = 0; n < kKnownArities; ++n) starts[n] = mixed(kTrieSeed, n, 0, salt(kTupleSalt));
  return starts;
}();

}  // namespace

uint32_t internal_hash_slow(Term key) {
  if (is_tuple(key)) {  // the same as in TrieHash, for what is most common
    const Term* p = boxed_ptr(key);
    const size_t size = header_size(*p);
    if (size < kKnownArities) {
      size_t k = 1;
      uint32_t hash = kTupleStarts[size];
      for (; k <= size && is_small(p[k]); ++k) hash = mixed_word(hash, p[k] | 15, salt(kWordSalt));
      if (k > size) return hash;
    }
  } else if (is_kind(key, Kind::heap_bin)) {
    const Term* p = boxed_ptr(key);
    UnlimitedBudget budget;
    const uint32_t hash = kTrieSeed + salt(kBytesSalt);
    if (p[1] > 0) return hash_bytes(reinterpret_cast<const uint8_t*>(p + 2), p[1], hash, budget);
  }
  return trie_hash_slow(key, kTrieSeed);
}

uint32_t trie_hash_slow(Term key, uint32_t seed) {
  if (is_atom(key)) return static_cast<uint32_t>(hash_step(seed, atom_text_hash(key)) >> 32);
  if (is_bitstring(key)) {  // the same as below, for what is most common
    UnlimitedBudget budget;
    return hash_bitstring(seed, key, budget);
  }
  return TrieHash(seed).run(key);
}

uint32_t next_trie_hash(Term key) {
  uint32_t depth = mixed(0, 1, 1, salt(kStringEndSalt));
  return digits_reversed(trie_hash_slow(key, depth ^ kTrieSeed));
}

}  // namespace wb
