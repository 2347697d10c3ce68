#include "vm/ets/packed.h"

#include <new>
#include <vector>

#include "gc/fragment.h"
#include "term/boxed_layout.h"

namespace wb {
namespace {

// The low bits of a word's first byte.
//   ......00  small integer     ......01  cons     ......10  boxed
//   ....0011  atom   ....0111  header   ....1011  header with `extra`   ....1111  other immediates
enum : uint8_t {
  kSmall = 0,
  kCons = 1,
  kBoxed = 2,
  kAtom = 3,
  kHeader = 7,
  kLongHeader = 11,
  kOther = 15
};

constexpr uint64_t zigzag(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
constexpr int64_t unzigzag(uint64_t v) {
  return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1);
}

// --- packing ------------------------------------------------------------------------------------
class Packer {
 public:
  /// The words of a plain object.
  explicit Packer(const TableObject& o) : from_(o.data), words_(o.words) {
    bytes_.reserve(words_ * 2);
    long_number(words_);
  }
  /// False: it comes to `most` bytes or more.
  bool pack(size_t most) {
    for (size_t i = 0; i < words_ && bytes_.size() < most;)
      i = is_header(from_[i]) ? boxed(i) : (term(from_[i]), i + 1);
    return bytes_.size() < most;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  void long_number(uint64_t v) {
    for (; v > 127; v >>= 7) bytes_.push_back(static_cast<uint8_t>(v | 128));
    bytes_.push_back(static_cast<uint8_t>(v));
  }
  /// A byte that has `used` bits taken.
  void number(uint8_t tag, unsigned used, uint64_t v) {
    const uint64_t fits = uint64_t{1} << (7 - used);
    const bool more = v >= fits;
    bytes_.push_back(static_cast<uint8_t>(tag | (v & (fits - 1)) << used | uint64_t{more} << 7));
    if (more) long_number(v >> (7 - used));
  }
  void raw(const void* from, size_t n) {
    auto* p = static_cast<const uint8_t*>(from);
    bytes_.insert(bytes_.end(), p, p + n);
  }

  void term(Term t) {
    if (is_small(t)) return number(kSmall, 2, zigzag(small_value(t)));
    if (is_atom(t)) return number(kAtom, 4, atom_index(t));
    if (is_nil(t)) return number(kOther, 4, 0);
    if (!is_pointer(t)) return number(kOther, 4, t);
    const int64_t target = pointer_of(t) - from_;
    number(is_cons(t) ? kCons : kBoxed, 2, zigzag(target - target_));
    target_ = target;
  }
  /// A header and what follows it that is no term: the index behind.
  size_t boxed(size_t i) {
    const Word h = from_[i];
    const Kind kind = header_kind(h);
    number(header_extra(h) ? kLongHeader : kHeader, 4,
           header_size(h) << 5 | static_cast<uint8_t>(kind));
    if (header_extra(h)) long_number(header_extra(h));
    const Word* word = from_ + i + 1;
    const size_t n = raw_size(h);
    if (kind == Kind::heap_bin) {
      long_number(word[0]);
      raw(word + 1, word[0]);
    } else if (owns_off_heap(kind)) {  // all but the link
      raw(word, sizeof(Word));
      raw(word + 2, (n - 2) * sizeof(Word));
    } else {
      raw(word, n * sizeof(Word));
    }
    return i + 1 + n;
  }

  const Term* from_;
  size_t words_;
  int64_t target_ = 0;
  std::vector<uint8_t> bytes_;
};

// --- unpacking ----------------------------------------------------------------------------------
class Unpacker {
 public:
  explicit Unpacker(const uint8_t* bytes) : at_(bytes) { words_ = long_number(); }
  size_t words() const { return words_; }
  Term* owners() const { return owners_; }
  /// Writes what there is to `to`; owners are linked, their counts stay as they are.
  void unpack(Term* to) {
    to_ = to;
    for (size_t i = 0; i < words_;) i = word(i);
  }

 private:
  uint64_t long_number() {
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t b = *at_++;
      v |= uint64_t{b & 127u} << shift;
      if (b < 128) return v;
    }
  }
  uint64_t number(uint8_t first, unsigned used) {
    uint64_t v = (first & 127u) >> used;
    if (first > 127) v |= long_number() << (7 - used);
    return v;
  }
  void raw(void* to, size_t n) {
    memcpy(to, at_, n);
    at_ += n;
  }
  Term* next_target(uint8_t first) {
    target_ += unzigzag(number(first, 2));
    return to_ + target_;
  }

  size_t word(size_t i) {
    const uint8_t b = *at_++;
    switch (b & 3) {
      case kSmall:
        to_[i] = make_small(unzigzag(number(b, 2)));
        return i + 1;
      case kCons:
        to_[i] = make_cons(next_target(b));
        return i + 1;
      case kBoxed:
        to_[i] = make_boxed(next_target(b));
        return i + 1;
    }
    const uint64_t n = number(b, 4);
    switch (b & 15) {
      case kAtom:
        to_[i] = make_atom(static_cast<uint32_t>(n));
        return i + 1;
      case kOther:
        to_[i] = n == 0 ? kNil : n;
        return i + 1;
      default:
        return boxed(i, n, (b & 15) == kLongHeader);
    }
  }
  size_t boxed(size_t i, uint64_t n, bool is_long) {
    const Kind kind = static_cast<Kind>(n & 31);
    const uint16_t extra = is_long ? static_cast<uint16_t>(long_number()) : uint16_t{0};
    Term* p = to_ + i;
    p[0] = make_header(kind, n >> 5, extra);
    const size_t raw_count = raw_size(p[0]);
    if (kind == Kind::heap_bin) {
      p[raw_count] = 0;  // the last word's padding
      p[1] = long_number();
      raw(p + 2, p[1]);
    } else if (owns_off_heap(kind)) {
      raw(p + 1, sizeof(Word));
      raw(p + 3, (raw_count - 2) * sizeof(Word));
      p[2] = reinterpret_cast<Word>(owners_);
      owners_ = p;
    } else {
      raw(p + 1, raw_count * sizeof(Word));
    }
    return i + 1 + raw_count;
  }

  const uint8_t* at_;
  size_t words_;
  Term* to_ = nullptr;
  int64_t target_ = 0;
  Term* owners_ = nullptr;
};

// --- where the bytes are ------------------------------------------------------------------------
uint32_t* start_of(const TableObject& o) {
  return reinterpret_cast<uint32_t*>(const_cast<Term*>(o.data) + o.words) - 1;
}
const uint8_t* bytes_of(const TableObject& o) {
  return reinterpret_cast<const uint8_t*>(o.data + *start_of(o));
}

/// A copy of `tuple` without its key.
TableObject* without_key(Term tuple, uint32_t keypos) {
  std::vector<Term> elements(boxed_ptr(tuple), boxed_ptr(tuple) + 1 + tuple_arity(tuple));
  elements[keypos] = kNil;
  return new_object(make_boxed(elements.data()));
}

}  // namespace

TableObject* new_packed_object(Term tuple, uint32_t keypos) {
  const Term key = tuple_elements(tuple)[keypos - 1];
  TableObject* plain = without_key(tuple, keypos);
  const size_t key_words = flat_size_deep(key);
  const size_t start = 1 + keypos + key_words;
  const size_t plain_words = plain->words + key_words;
  Packer packer(*plain);
  if (plain_words <= start ||
      !packer.pack((plain_words - start) * sizeof(Word) - sizeof(uint32_t))) {
    free_object(plain);
    return new_object(tuple);
  }
  const size_t n = packer.bytes().size() + sizeof(uint32_t);
  TableObject* o = new_block(start + (n + sizeof(Word) - 1) / sizeof(Word));
  o->form = plain->off_heap ? TableObject::Form::packed_owning : TableObject::Form::packed;
  o->off_heap = nullptr;
  o->data[0] = plain->data[0];
  for (uint32_t i = 1; i < keypos; ++i) o->data[i] = kNil;
  o->data[keypos] = copy_into(o, keypos + 1, key_words, key);
  memcpy(o->data + start, packer.bytes().data(), packer.bytes().size());
  *start_of(*o) = static_cast<uint32_t>(start);
  free_block(plain);
  return o;
}

Unpacked::Unpacked(const TableObject& o, uint32_t keypos) {
  Unpacker unpacker(bytes_of(o));
  const size_t key_words = *start_of(o) - 1 - keypos;
  const size_t words = unpacker.words() + key_words;
  object_ = words <= kInline ? new (inline_) TableObject : new_block(words);
  object_->next = nullptr;
  object_->hash = o.hash;
  object_->words = static_cast<uint32_t>(words);
  object_->dead = o.dead;
  object_->form = TableObject::Form::plain;
  Term* data = object_->data;
  unpacker.unpack(data);
  const Term* from = o.data + keypos + 1;
  Term* to = data + unpacker.words();
  object_->off_heap = borrow_words(to, from, key_words, unpacker.owners());
  const Word shift = reinterpret_cast<Word>(to) - reinterpret_cast<Word>(from);
  const Term key = o.data[keypos];
  data[keypos] = is_pointer(key) ? key + shift : key;
}

Unpacked::~Unpacked() {
  if (reinterpret_cast<char*>(object_) != inline_) free_block(object_);
}

void release_packed(const TableObject& o) {
  Unpacker unpacker(bytes_of(o));
  std::vector<Term> words(unpacker.words());
  unpacker.unpack(words.data());
  release_owners(unpacker.owners());
}

}  // namespace wb
