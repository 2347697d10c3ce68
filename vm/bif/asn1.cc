// asn1rt_nif: what modules compiled by OTP's asn1 have BEAM do in C. Tag, length and value of BER
// to terms and back; the bits that a PER encoder asks for, one after the other.
//
// Depth is a program's to choose, so nothing here recurses.
#include <algorithm>
#include <string>
#include <vector>

#include "term/binary.h"
#include "term/number.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

constexpr int64_t kBytesPerReduction = 100;

// --- BER -----------------------------------------------------------------------------------------
constexpr uint8_t kConstructed = 0x20, kLongTag = 0x1f, kMore = 0x80, kIndefinite = 0x80;
/// As deep as BEAM's own goes, which measures its C stack.
constexpr size_t kDeepest = 585;

class BerDecoder {
 public:
  BerDecoder(Heap& h, const std::string& in) : heap_(h), in_(in) {}

  Term run() {
    if (!begin(in_.size())) return failure();
    while (!open_.empty()) {
      if (!next()) return failure();
    }
    Term rest = make_binary(heap_, in_.data() + at_, in_.size() - at_);
    return tuple(heap_, items_.back(), rest);
  }

 private:
  struct Open {
    Term tag;
    size_t end;  ///< where what it has must be over
    bool indefinite;
    size_t first;  ///< of its items
  };
  uint8_t byte(size_t k) const { return static_cast<uint8_t>(in_[k]); }
  bool fail(Term why) { return why_ = why, false; }
  Term failure() {
    Term where = tuple(heap_, why_, make_small(static_cast<int64_t>(at_)));
    return tuple(heap_, am::error, where);
  }

  /// Reads one tag and length; a primitive's value, too. What is constructed is then open.
  bool begin(size_t limit) {
    Term tag;
    bool constructed;
    if (!read_tag(limit, &tag, &constructed)) return false;
    if (open_.size() >= kDeepest) return fail(am::unknown);
    if (byte(at_) == kIndefinite) {
      ++at_;
      if (at_ + 1 >= limit || !constructed) return fail(am::invalid_length);
      open_.push_back({tag, limit, true, items_.size()});
      return true;
    }
    size_t length;
    if (!read_length(limit, &length)) return false;
    if (constructed) {
      open_.push_back({tag, at_ + length, false, items_.size()});
    } else {
      items_.push_back(tuple(heap_, tag, make_binary(heap_, in_.data() + at_, length)));
      at_ += length;
    }
    return true;
  }

  /// Goes on with the innermost that is open, or ends it.
  bool next() {
    const Open o = open_.back();
    if (o.indefinite && at_ + 1 >= o.end) return fail(am::invalid_length);
    bool over = o.indefinite ? !byte(at_) && !byte(at_ + 1) : at_ >= o.end;
    if (!over) return begin(o.end);
    if (o.indefinite) at_ += 2;
    Term list = kNil;
    while (items_.size() > o.first) {
      list = cons(heap_, items_.back(), list);
      items_.pop_back();
    }
    items_.push_back(tuple(heap_, o.tag, list));
    open_.pop_back();
    return true;
  }

  /// The class in the bits above 16, the number below: of one byte, or two behind the first.
  bool read_tag(size_t limit, Term* tag, bool* constructed) {
    if (at_ + 2 > limit) return fail(am::invalid_value);
    const uint8_t first = byte(at_);
    int64_t number = (first & 0xc0) << 10;
    *constructed = first & kConstructed;
    if ((first & kLongTag) != kLongTag) {
      number |= first & kLongTag;
    } else {
      if (at_ + 3 > limit) return fail(am::invalid_value);
      ++at_;
      if (byte(at_) & kMore) number |= (byte(at_++) & 0x7f) << 7;
      if (byte(at_) & kMore) return fail(am::invalid_tag);
      number |= byte(at_);
    }
    ++at_;
    *tag = make_small(number);
    return at_ < limit || fail(am::invalid_tag);
  }

  bool read_length(size_t limit, size_t* length) {
    *length = byte(at_);
    if (*length & kMore) {
      size_t digits = *length & 0x7f;
      if (digits > limit - (at_ + 1)) return fail(am::invalid_length);
      for (*length = 0; digits; --digits) {
        ++at_;
        if (*length >= size_t{1} << 24) return fail(am::invalid_length);
        *length = *length << 8 | byte(at_);
      }
    }
    if (*length > limit - (at_ + 1)) return fail(am::invalid_value);
    ++at_;
    return true;
  }

  Heap& heap_;
  const std::string& in_;
  size_t at_ = 0;
  Term why_ = kNone;
  std::vector<Term> items_;
  std::vector<Open> open_;
};

/// Writes backwards: a length is known once what it counts has been written.
class BerEncoder {
 public:
  /// False: that is no {Tag, Binary or [{Tag, ...}]}.
  bool run(Term term) {
    if (!begin(term)) return false;
    while (!open_.empty()) {
      Open& o = open_.back();
      if (!o.items.empty()) {
        Term item = o.items.back();
        o.items.pop_back();
        if (!begin(item)) return false;
        continue;
      }
      put_length(out_.size() - o.start);
      if (!put_tag(o.tag, kConstructed)) return false;
      open_.pop_back();
    }
    std::reverse(out_.begin(), out_.end());
    return true;
  }
  const std::string& bytes() const { return out_; }

 private:
  struct Open {
    Term tag;
    size_t start;
    std::vector<Term> items;  ///< still to be written, the last one first
  };
  void put(uint64_t byte) { out_.push_back(static_cast<char>(byte)); }

  bool begin(Term term) {
    if (!is_tuple(term) || tuple_arity(term) < 2) return false;
    Term tag = tuple_elements(term)[0], value = tuple_elements(term)[1];
    if (!is_list(value)) {
      std::string bytes;
      if (!is_bitstring(value) || !iolist_to_bytes(value, &bytes)) return false;
      out_.append(bytes.rbegin(), bytes.rend());
      put_length(bytes.size());
      return put_tag(tag, 0);
    }
    Open o{tag, out_.size(), {}};
    for (; is_cons(value); value = tail(value)) o.items.push_back(head(value));
    if (!is_nil(value)) return false;
    open_.push_back(std::move(o));
    return true;
  }

  void put_length(size_t n) {
    if (n < 128) return put(n);
    size_t digits = 0;
    for (; n; n >>= 8, ++digits) put(n & 0xff);
    put(digits | kMore);
  }

  bool put_tag(Term tag, uint8_t form) {
    if (!is_small(tag) || small_value(tag) < 0 || small_value(tag) > UINT32_MAX) return false;
    uint64_t number = static_cast<uint64_t>(small_value(tag));
    const uint64_t first = form | (number & 0x30000) >> 10;
    number &= 0xffff;
    if (number < kLongTag) return put(first | number), true;
    put(number & 0x7f);
    while (number >>= 7) put((number & 0x7f) | kMore);
    put(first | kLongTag);
    return true;
  }

  std::string out_;
  std::vector<Open> open_;
};

// --- PER -----------------------------------------------------------------------------------------
/// Bits, the highest of a byte first. Bits of a source that are not asked for but share the last
/// byte are there too, until a whole byte takes their place: as BEAM has it.
class BitWriter {
 public:
  void bit(bool on) {
    if (on) last() |= static_cast<uint8_t>(1 << (free_ - 1));
    if (--free_ == 0) next();
  }
  /// The lowest `n` bits of `value`, at most eight.
  void low(uint32_t value, uint32_t n) {
    if (n <= free_) {
      last() |= static_cast<uint8_t>(value << (free_ - n));
      return used(n);
    }
    const uint32_t behind = n - free_;
    last() |= static_cast<uint8_t>(value >> behind);
    next();
    last() |= static_cast<uint8_t>(value << (8 - behind));
    used(behind);
  }
  /// The highest `n` bits of `value`.
  void high(uint32_t value, uint32_t n) {
    last() |= static_cast<uint8_t>(value >> (8 - free_));
    if (n <= free_) return used(n);
    const uint32_t before = free_;
    next();
    last() |= static_cast<uint8_t>(value << before);
    used(n - before);
  }
  void zeros(size_t n) {
    while (n-- > 0) bit(false);
  }
  void align() {
    if (free_ != 8) next();
  }
  void append(std::string_view bytes) {
    for (char c : bytes) {
      const uint32_t value = static_cast<uint8_t>(c), kept = free_;
      if (kept == 8) last() = 0;
      last() |= static_cast<uint8_t>(value >> (8 - kept));
      next();
      last() = static_cast<uint8_t>(value << kept);
      free_ = kept;
    }
  }
  /// At least one byte.
  std::string finish() {
    if (free_ == 8 && bytes_.size() > 1) bytes_.pop_back();
    return std::move(bytes_);
  }

 private:
  uint8_t& last() { return reinterpret_cast<uint8_t&>(bytes_.back()); }
  void next() { bytes_.push_back(0), free_ = 8; }
  void used(uint32_t n) {
    free_ -= n;
    if (free_ == 0) next();
  }

  std::string bytes_ = std::string(1, 0);
  uint32_t free_ = 8;  ///< of the last byte
};

/// What a PER encoder made: codes, each with operands and bytes behind it.
class PerBits {
 public:
  explicit PerBits(std::string_view in) : in_(in), left_(in.size()) {}

  /// False: that is none.
  bool run(std::string* out) {
    while (left_ > 0) {
      if (!step()) return false;
    }
    *out = bits_.finish();
    return true;
  }

 private:
  /// A number of so many bytes.
  bool number(size_t width, size_t* n) {
    if (left_ < width) return false;
    *n = 0;
    for (size_t k = 0; k < width; ++k) *n = *n << 8 | static_cast<uint8_t>(in_[k]);
    in_.remove_prefix(width);
    left_ -= width;
    return true;
  }
  /// So many bytes as a number of `width` bytes says.
  bool counted(size_t width, std::string_view* bytes) {
    size_t n;
    if (!number(width, &n) || left_ < n) return false;
    *bytes = in_.substr(0, n);
    in_.remove_prefix(n);
    left_ -= n;
    return true;
  }

  bool step() {
    size_t code, n, value;
    std::string_view bytes;
    number(1, &code);
    switch (code) {
      case 0:
      case 1:
        bits_.bit(code == 1);
        return true;
      case 2:
        bits_.align();
        return true;
      case 10:
        if (!number(1, &n) || !number(1, &value) || n > 8) return false;
        bits_.low(static_cast<uint32_t>(value), static_cast<uint32_t>(n));
        return true;
      case 20:
      case 21:
        if (!counted(code - 19, &bytes)) return false;
        bits_.align();
        bits_.append(bytes);
        return true;
      case 30:
      case 31:
        return number(1, &n) && counted(code - 29, &bytes) && all_but(bytes, n);
      case 40:
      case 41:
      case 42:
      case 43:
        return number(code < 42 ? 1 : 2, &n) && counted(code % 2 + 1, &bytes) && flags(bytes, n);
      case 45:
      case 46:
      case 47:
        if (!number(code == 45 ? 1 : 2, &n) || !counted(code == 47 ? 2 : 1, &bytes)) return false;
        leading(bytes, n);
        return true;
      default:
        return false;
    }
  }
  /// All bits except the last `n`.
  bool all_but(std::string_view bytes, size_t n) {
    if (n == 0) return bits_.append(bytes), true;
    if (n > 8 || bytes.empty()) return false;
    bits_.append(bytes.substr(0, bytes.size() - 1));
    bits_.high(static_cast<uint8_t>(bytes.back()), static_cast<uint32_t>(8 - n));
    return true;
  }
  /// The first `n` bits, or all and zeros. Whole bytes behind them, which no encoder gives, are
  /// codes to BEAM, though it has counted them already.
  void leading(std::string_view bytes, size_t n) {
    const size_t whole = n / 8;
    bits_.append(bytes.substr(0, whole));
    if (n >= 8 * bytes.size()) return bits_.zeros(n - 8 * bytes.size());
    bits_.high(static_cast<uint8_t>(bytes[whole]), static_cast<uint32_t>(n % 8));
    in_ = {bytes.data() + whole + 1, in_.size() + bytes.size() - whole - 1};
  }
  /// A bit for each byte, which is 0 or 1, up to `n`; or all and zeros.
  bool flags(std::string_view bytes, size_t n) {
    for (char c : bytes.substr(0, n)) {
      if (c != 0 && c != 1) return false;
      bits_.bit(c == 1);
    }
    if (n > bytes.size()) bits_.zeros(n - bytes.size());
    return true;
  }

  std::string_view in_;
  size_t left_;  ///< bytes of it that count
  BitWriter bits_;
};

}  // namespace

/// Nothing is loaded: it is all here.
BIF(asn1rt_nif, load_nif, 0)
{
  return am::ok;
}

BIF(asn1rt_nif, decode_ber_tlv_raw, 1)
{
  std::string in;
  if (!iolist_to_bytes(a[0], &in)) return kBadarg;
  p.charge(static_cast<int64_t>(in.size()) / kBytesPerReduction);
  return BerDecoder(p.heap, in).run();
}

BIF(asn1rt_nif, encode_ber_tlv, 1)
{
  BerEncoder encoder;
  if (!encoder.run(a[0])) return tuple(p.heap, am::error, make_small(-1));
  const std::string& out = encoder.bytes();
  p.charge(static_cast<int64_t>(out.size()) / kBytesPerReduction);
  return make_binary(p.heap, out.data(), out.size());
}

BIF(asn1rt_nif, encode_per_complete, 1)
{
  std::string in, out;
  if (!iolist_to_bytes(a[0], &in)) return kBadarg;
  p.charge(static_cast<int64_t>(in.size()) / kBytesPerReduction);
  if (!in.empty() && !PerBits(in).run(&out)) {
    return tuple(p.heap, am::error, make_small('1'));
  }
  return make_binary(p.heap, out.data(), out.size());
}

}  // namespace wb
