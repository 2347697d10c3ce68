// The in-memory hash: one running value, stepped with every word that =:= looks at.
//
// Structure goes in as a word per container (kind and size) before its parts, so different shapes
// give different sequences. Maps are canonical (map.h): their words in order will do. What =:=
// ignores stays out: how a bitstring is stored, the sign of 0.0, leading zeros of references.
#include "base/stack.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/external.h"
#include "term/hash.h"
#include "term/identifiers.h"
#include "term/jenkins.h"

namespace wb {
namespace {

struct Range {
  const Term* words;
  size_t n;
};

uint64_t hash_bits(uint64_t h, const Bits& bits) {
  h = hash_step(h, bits.size);
  size_t position = 0;
  if (bits.aligned()) {
    for (; bits.size - position >= 64; position += 64) {
      uint64_t word;
      memcpy(&word, bits.bytes + position / 8, 8);
      h = hash_step(h, word);
    }
  }
  if (size_t n = (bits.size - position) / 8; bits.aligned() && bits.size % 8 == 0 && n > 0) {
    return hash_step(h, jenkins::few_bytes(bits.bytes + position / 8, n));
  }
  while (position < bits.size) {
    uint8_t word[8] = {};
    size_t n = bits.size - position < 64 ? bits.size - position : 64;
    copy_bits(word, 0, bits.bytes, bits.offset + position, n);
    uint64_t w;
    memcpy(&w, word, 8);
    h = hash_step(h, w);
    position += n;
  }
  return h;
}

uint64_t hash_ref(uint64_t h, Term ref) {
  RefNumbers r = ref_numbers(ref);
  size_t n = r.significant_words();
  for (size_t i = 0; i < n; ++i) h = hash_step(h, r.words[i]);
  return h;
}

class MapHash {
 public:
  uint64_t run(Term t) {
    term(t);
    while (!todo_.empty()) {
      Range& r = todo_.top();
      t = *r.words++;
      if (--r.n == 0) todo_.pop();
      term(t);
    }
    return hash_;
  }

 private:
  void term(Term t) {
    while (is_cons(t)) {
      step(1);
      Term x = head(t);
      if (!is_immediate(x)) {
        push(cons_ptr(t) + 1, 1);
        push(cons_ptr(t), 1);
        return;
      }
      immediate(x);
      t = tail(t);
    }
    if (is_boxed(t))
      boxed(boxed_ptr(t), t);
    else
      immediate(t);
  }

  void immediate(Term t) { step(is_atom(t) ? (atom_text_hash(t) << 4 | 3) : t); }

  void boxed(const Term* p, Term t) {
    Kind k = header_kind(*p);
    size_t size = header_size(*p);
    switch (k) {
      case Kind::tuple: {
        step(*p);
        size_t i = 1;  // elements without parts at once
        for (; i <= size && is_immediate(p[i]); ++i) immediate(p[i]);
        if (i <= size) push(p + i, size + 1 - i);
        break;
      }
      case Kind::record:
      case Kind::hashmap:
      case Kind::hashnode:
        step(*p);
        push(p + 1, size);
        break;
      case Kind::flatmap:
        step(*p);
        push(p + 3, size - 2);
        push(boxed_ptr(p[2]) + 1, size - 2);
        break;
      case Kind::big_pos:
      case Kind::big_neg:
        step(*p);
        for (size_t i = 1; i <= size; ++i) step(p[i]);
        break;
      case Kind::flo: {
        double d = float_value(t);
        Word w = 0;
        if (d != 0) memcpy(&w, &d, sizeof w);
        step(*p);
        step(w);
        break;
      }
      case Kind::heap_bin:
      case Kind::refc_bin:
      case Kind::sub_bin:
        hash_ = hash_bits(hash_, bits_of(t));
        break;
      default:
        opaque(p, k, size);
    }
  }

  void opaque(const Term* p, Kind k, size_t size) {
    switch (k) {
      case Kind::fun: {
        auto f = fun_resolver().describe_fun(reinterpret_cast<void*>(p[1]));
        immediate(f.module);
        step(Word{f.old_index} << 32 | f.old_uniq);
        push(p + 4, size - 3);
        break;
      }
      case Kind::export_fun: {
        auto f = fun_resolver().describe_export(reinterpret_cast<void*>(p[1]));
        immediate(f.module);
        immediate(f.function);
        step(f.arity);
        break;
      }
      case Kind::ref:
      case Kind::pid_ref:
      case Kind::magic_ref:
      case Kind::ext_ref:
        hash_ = hash_ref(hash_, make_boxed(p));
        break;
      case Kind::ext_pid:
      case Kind::ext_port:
        immediate(owned_node(p).name.name);
        step(p[3]);
        break;
      default:
        WB_CHECK(!"a term to hash");
    }
  }

  void step(Word w) { hash_ = hash_step(hash_, w); }
  void push(const Term* words, size_t n) {
    if (n != 0) todo_.push({words, n});
  }

  uint64_t hash_ = 0;
  Stack<Range> todo_;
};

}  // namespace

static WB_INLINE Word word_of_immediate(Term t) {
  return is_atom(t) ? (atom_text_hash(t) << 4 | 3) : t;
}

uint64_t map_hash_slow(Term t) {
  if (is_atom(t)) return hash_step(0, word_of_immediate(t));
  if (is_tuple(t)) {  // the same as below, for what is most common
    const Term* p = boxed_ptr(t);
    uint64_t hash = hash_step(0, *p);
    size_t k = 1, size = header_size(*p);
    for (; k <= size && is_immediate(p[k]); ++k) hash = hash_step(hash, word_of_immediate(p[k]));
    if (k > size) return hash;
  }
  if (is_bitstring(t)) return hash_bits(0, bits_in(t));
  MapHash h;
  return h.run(t);
}

}  // namespace wb
