// The atom table: append-only, read without locks.
//
//   chunks_[i] --> Entry[4096]     index -> text, hash, first bytes       (never moves)
//   index_     --> slots[2^n]      open addressing: hash << 32 | index+1  (replaced when 3/4 full)
//
// Invariants: an entry is complete before its slot is stored (release) and a slot never changes
// again, so a reader that finds a slot may read the entry. Only add() writes, under the mutex. A
// replaced slot array is kept: a reader may still be probing it, and what it misses there is
// younger than its look-up. All of them together are smaller than the newest.
//
// Rejected: sharded locks (a look-up is on the path of binary_to_atom and of decoding every
// external term), and one big array for the entries (it would have to move or be reserved).
#include "term/atom.h"
#include "base/ranked_lock.h"

#include "term/atom_reserve.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "term/hash.h"
#include "term/policy_atoms.h"

namespace wb {
namespace {

constexpr uint32_t kChunkBits = 12;
constexpr uint32_t kChunkSize = 1u << kChunkBits;
constexpr uint32_t kMaxChunks = 1u << 15;
constexpr uint32_t kDefaultLimit = 1048576;
constexpr uint32_t kReserve = 32768;  // for code that is loaded although the table is full
constexpr size_t kTextBlock = 64 * 1024;

struct Entry {
  const char* text;
  uint64_t prefix;  // the first 8 bytes, big-endian, zero padded: decides most comparisons
  uint64_t text_hash;
  uint32_t otp_hash;
  uint16_t bytes;
  uint8_t chars;
  bool latin1;

  std::string_view view() const { return {text, bytes}; }
};

struct Slots {
  explicit Slots(size_t n) : mask(n - 1), slot(new std::atomic<uint64_t>[n]) {
    for (size_t i = 0; i < n; ++i) slot[i].store(0, std::memory_order_relaxed);
  }
  size_t mask;
  std::atomic<uint64_t>* slot;
  Slots* older = nullptr;
};

uint64_t prefix_of(std::string_view text) {
  uint8_t first[8] = {};
  memcpy(first, text.data(), std::min<size_t>(text.size(), 8));
  uint64_t v;
  memcpy(&v, first, 8);
  return __builtin_bswap64(v);
}

// The PJW hash over characters below 256 as one byte each, other characters as their UTF-8 bytes.
uint32_t pjw_hash(std::string_view text) {
  uint32_t h = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    uint8_t c = static_cast<uint8_t>(text[i]);
    if ((c & 0xfe) == 0xc2 && i + 1 < text.size()) {
      c = static_cast<uint8_t>((c << 6) | (text[++i] & 0x3f));
    }
    h = (h << 4) + c;
    uint32_t high = h & 0xf0000000;
    h ^= high ^ (high >> 24);
  }
  return h;
}

uint64_t hash_text(std::string_view text) {
  uint64_t h = text.size();
  for (size_t i = 0; i < text.size(); i += 8) {
    uint64_t v = 0;
    memcpy(&v, text.data() + i, std::min<size_t>(text.size() - i, 8));
    h = hash_step(h, v);
  }
  return h;
}

// What a slot holds of the text's hash.
uint32_t slot_hash(uint64_t text_hash) { return static_cast<uint32_t>(text_hash >> 32); }

class AtomTable {
 public:
  AtomTable() : index_(new Slots(1 << 13)) {
    static constexpr std::string_view kNamed[] = {
#define ATOM(id, text) text,
#include "term/atoms.def"
    // in the order of the headers

#include "term/socket_atoms.def"

#include "term/dist_atoms.def"
#include "term/policy_atoms.def"
#undef ATOM
    };
    for (uint32_t i = 0; i < am_index::with_policies_; ++i) {
      Term atom = intern(kNamed[i]);
      WB_CHECK(atom == make_atom(i));  // else: two lines of atoms.def have the same text
    }
  }

  static AtomTable& get() {
    static AtomTable& table = *new AtomTable;  // never destroyed: atoms outlive everything
    return table;
  }

  const Entry& entry(Term atom) const {
    uint32_t i = atom_index(atom);
    return chunks_[i >> kChunkBits].load(std::memory_order_acquire)[i & (kChunkSize - 1)];
  }

  Term find(std::string_view text, uint64_t text_hash) const {
    uint32_t hash = slot_hash(text_hash);
    const Slots* s = index_.load(std::memory_order_acquire);
    for (size_t i = hash & s->mask;; i = (i + 1) & s->mask) {
      uint64_t v = s->slot[i].load(std::memory_order_acquire);
      if (v == 0) return kNone;
      if (v >> 32 != hash) continue;
      Term atom = make_atom(static_cast<uint32_t>(v) - 1);
      if (entry(atom).view() == text) return atom;
    }
  }

  Term intern(std::string_view text) {
    uint64_t hash = hash_text(text);
    Term atom = find(text, hash);
    return WB_LIKELY(atom != kNone) ? atom : add(text, hash);
  }

  std::atomic<uint32_t> count{0};
  std::atomic<uint32_t> limit{kDefaultLimit};

 private:
  WB_COLD Term add(std::string_view text, uint64_t hash) {
    std::lock_guard lock(mutex_);
    Term atom = find(text, hash);  // somebody may have been faster
    if (atom != kNone) return atom;
    uint32_t i = count.load(std::memory_order_relaxed);
    uint32_t most = limit.load(std::memory_order_relaxed) + (AtomReserve::in_use() ? kReserve : 0);
    if (i >= most) return kSystemLimit;
    *slot_for_entry(i) = make_entry(text, hash);
    reserve_slot();
    insert(*index_.load(std::memory_order_relaxed), (uint64_t{slot_hash(hash)} << 32) | (i + 1));
    count.store(i + 1, std::memory_order_release);
    return make_atom(i);
  }

  Entry* slot_for_entry(uint32_t i) {
    std::atomic<Entry*>& chunk = chunks_[i >> kChunkBits];
    if (!chunk.load(std::memory_order_relaxed)) {
      chunk.store(new Entry[kChunkSize], std::memory_order_release);
    }
    return &chunk.load(std::memory_order_relaxed)[i & (kChunkSize - 1)];
  }

  Entry make_entry(std::string_view text, uint64_t hash) {
    WB_CHECK(text.size() <= kMaxAtomChars * 4);
    uint32_t chars = 0;
    bool latin1 = true;
    for (char c : text) {
      uint8_t byte = static_cast<uint8_t>(c);
      if ((byte & 0xc0) != 0x80) ++chars;
      if (byte >= 0xc4) latin1 = false;
    }
    WB_CHECK(chars <= kMaxAtomChars);
    return {store(text),
            prefix_of(text),
            hash,
            pjw_hash(text),
            static_cast<uint16_t>(text.size()),
            static_cast<uint8_t>(chars),
            latin1};
  }

  const char* store(std::string_view text) {
    if (text_left_ < text.size()) {
      text_ = new char[kTextBlock];
      text_left_ = kTextBlock;
    }
    char* p = text_;
    memcpy(p, text.data(), text.size());
    text_ += text.size();
    text_left_ -= text.size();
    return p;
  }

  void reserve_slot() {
    Slots* old = index_.load(std::memory_order_relaxed);
    size_t n = old->mask + 1;
    if (count.load(std::memory_order_relaxed) < n / 4 * 3) return;
    Slots* bigger = new Slots(n * 2);
    bigger->older = old;
    for (size_t i = 0; i < n; ++i) {
      uint64_t v = old->slot[i].load(std::memory_order_relaxed);
      if (v != 0) insert(*bigger, v);
    }
    index_.store(bigger, std::memory_order_release);
  }

  static void insert(Slots& s, uint64_t v) {
    size_t i = (v >> 32) & s.mask;
    while (s.slot[i].load(std::memory_order_relaxed) != 0) i = (i + 1) & s.mask;
    s.slot[i].store(v, std::memory_order_release);
  }

  RankedLock<LockRank::atoms> mutex_;
  std::atomic<Slots*> index_;
  char* text_ = nullptr;
  size_t text_left_ = 0;
  std::atomic<Entry*> chunks_[kMaxChunks] = {};
};

}  // namespace

Term intern(std::string_view text) { return AtomTable::get().intern(text); }

Term find_atom(std::string_view text) { return AtomTable::get().find(text, hash_text(text)); }

std::string_view atom_text(Term atom) { return AtomTable::get().entry(atom).view(); }
uint32_t atom_chars(Term atom) { return AtomTable::get().entry(atom).chars; }
bool atom_is_latin1(Term atom) { return AtomTable::get().entry(atom).latin1; }
uint32_t atom_hash(Term atom) { return AtomTable::get().entry(atom).otp_hash; }

AtomFacts atom_facts(Term atom) {
  const Entry& e = AtomTable::get().entry(atom);
  return {e.view(), e.chars, e.latin1};
}

uint64_t atom_text_hash(Term atom) { return AtomTable::get().entry(atom).text_hash; }

int compare_atoms(Term a, Term b) {
  if (a == b) return 0;
  const AtomTable& table = AtomTable::get();
  const Entry &x = table.entry(a), &y = table.entry(b);
  if (x.prefix != y.prefix) return x.prefix < y.prefix ? -1 : 1;
  int c = memcmp(x.text, y.text, std::min(x.bytes, y.bytes));
  return c != 0 ? c : x.bytes - y.bytes;
}

size_t atoms_before(const Term* atoms, size_t n, Term atom) {
  const AtomTable& table = AtomTable::get();
  const uint64_t prefix = table.entry(atom).prefix;
  size_t before = 0, alike = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t p = table.entry(atoms[i]).prefix;
    before += p < prefix;
    alike += p == prefix;
  }
  for (; alike > 0 && compare_atoms(atoms[before], atom) < 0; --alike) ++before;
  return before;
}

uint32_t atom_count() { return AtomTable::get().count.load(std::memory_order_acquire); }
uint32_t atom_limit() { return AtomTable::get().limit.load(std::memory_order_relaxed); }

void set_atom_limit(uint32_t limit) {
  AtomTable& table = AtomTable::get();
  table.limit.store(std::clamp(limit, atom_count(), kMaxChunks * kChunkSize - kReserve),
                    std::memory_order_relaxed);
}

}  // namespace wb
