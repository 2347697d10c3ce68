#include "vm/nif/library_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace wb {
namespace {

/// What the processor's relocations are called here.
#ifdef __x86_64__
constexpr Elf64_Half kMachine = EM_X86_64;
constexpr uint32_t kRelative = R_X86_64_RELATIVE, kCallsResolver = R_X86_64_IRELATIVE,
                   kCopy = R_X86_64_COPY;
constexpr uint32_t kThreadLocal[] = {R_X86_64_DTPMOD64, R_X86_64_DTPOFF64, R_X86_64_TPOFF64,
                                     R_X86_64_TLSDESC};
#else
constexpr Elf64_Half kMachine = EM_AARCH64;
constexpr uint32_t kRelative = R_AARCH64_RELATIVE, kCallsResolver = R_AARCH64_IRELATIVE,
                   kCopy = R_AARCH64_COPY;
constexpr uint32_t kThreadLocal[] = {R_AARCH64_TLS_DTPMOD, R_AARCH64_TLS_DTPREL,
                                     R_AARCH64_TLS_TPREL, R_AARCH64_TLSDESC};
#endif

constexpr const char* kCutShort = "file too short";
constexpr uint64_t kMaxSpan = uint64_t{1} << 40;
constexpr uint64_t kMaxPage = 65536;
constexpr uint16_t kVersionIndex = 0x7fff;  // the bit above says that the version is hidden

class LibraryFile {
 public:
  explicit LibraryFile(std::span<const uint8_t> file) : file_(file) {}

  const char* damage() {
    if (!read_file(0, &header_) || !is_ours()) return nullptr;  // dlopen says so
    for (auto look :
         {&LibraryFile::segments, &LibraryFile::dynamic_section, &LibraryFile::names,
          &LibraryFile::versions, &LibraryFile::symbols, &LibraryFile::functions_of_the_file,
          &LibraryFile::relocations, &LibraryFile::functions_are_there}) {
      if (const char* wrong = (this->*look)()) return wrong;
      if (left_to_dlopen_) return nullptr;
    }
    return nullptr;
  }

 private:
  bool is_ours() const {
    const unsigned char* id = header_.e_ident;
    return !memcmp(id, ELFMAG, SELFMAG) && id[EI_CLASS] == ELFCLASS64 &&
           id[EI_DATA] == ELFDATA2LSB && header_.e_type == ET_DYN &&
           header_.e_machine == kMachine && header_.e_phentsize == sizeof(Elf64_Phdr);
  }

  // --- what lies where ---------------------------------------------------------------------------
  template <class T>
  bool read_file(uint64_t at, T* out) const {
    if (at > file_.size() || sizeof(T) > file_.size() - at) return false;
    memcpy(out, file_.data() + at, sizeof(T));
    return true;
  }
  /// The segment that has all of these addresses: in the file, or (`size` is p_memsz) in memory.
  const Elf64_Phdr* segment_of(uint64_t at, uint64_t n, Elf64_Xword Elf64_Phdr::* size) const {
    for (const Elf64_Phdr& s : loaded_) {
      if (at >= s.p_vaddr && at - s.p_vaddr <= s.*size && n <= s.*size - (at - s.p_vaddr))
        return &s;
    }
    return nullptr;
  }
  bool in_file(uint64_t at, uint64_t n) const { return segment_of(at, n, &Elf64_Phdr::p_filesz); }
  bool has_code(uint64_t at) const {
    const Elf64_Phdr* s = segment_of(at, 1, &Elf64_Phdr::p_filesz);
    return s && s->p_flags & PF_X;
  }
  bool is_writable(uint64_t at, uint64_t n) const {
    const Elf64_Phdr* s = segment_of(at, n, &Elf64_Phdr::p_memsz);
    return s && (s->p_flags & PF_W || changes_code_);
  }
  template <class T>
  bool read(uint64_t at, T* out) const {
    const Elf64_Phdr* s = segment_of(at, sizeof(T), &Elf64_Phdr::p_filesz);
    return s && s->p_flags & PF_R && read_file(s->p_offset + (at - s->p_vaddr), out);
  }

  // --- program headers ---------------------------------------------------------------------------
  const char* segments() {
    for (unsigned k = 0; k < header_.e_phnum; ++k) {
      Elf64_Phdr s;
      const uint64_t at = header_.e_phoff + uint64_t{k} * sizeof s;
      if (at < header_.e_phoff || !read_file(at, &s)) return kCutShort;
      if (s.p_type == PT_LOAD) {
        if (const char* wrong = loaded(s)) return wrong;
      } else {
        others_.push_back(s);
      }
      if (left_to_dlopen_) return nullptr;
    }
    if (loaded_.empty()) return leave();
    const uint64_t end = loaded_.back().p_vaddr + loaded_.back().p_memsz;
    for (const Elf64_Phdr& s : others_) {
      const bool is_read = s.p_type == PT_DYNAMIC || s.p_type == PT_PHDR || s.p_type == PT_NOTE ||
                           s.p_type == PT_TLS || s.p_type == PT_GNU_PROPERTY;
      if (is_read && s.p_filesz && !in_file(s.p_vaddr, s.p_filesz))
        return "a segment lies outside of the loaded ones";
      if (s.p_type == PT_DYNAMIC) dynamic_ = &s;
      if (s.p_type == PT_TLS) {
        if (s.p_filesz > s.p_memsz || s.p_memsz > kMaxSpan || s.p_align > kMaxPage ||
            (s.p_align & (s.p_align - 1)))
          return "the template of thread local data is none";
        has_thread_data_ = s.p_memsz > 0;
      }
      if (s.p_type == PT_GNU_RELRO &&
          (s.p_vaddr < loaded_.front().p_vaddr || s.p_vaddr > end || s.p_memsz > kMaxSpan ||
           s.p_vaddr + s.p_memsz > end + kMaxPage))
        return "what is to be protected lies outside of the loaded segments";
    }
    if (!dynamic_) return leave();
    if (dynamic_->p_vaddr % alignof(Elf64_Dyn)) return "the dynamic section is not aligned";
    return nullptr;
  }
  const char* loaded(const Elf64_Phdr& s) {
    const bool aligned = s.p_align && !(s.p_align & (s.p_align - 1)) &&
                         s.p_align % static_cast<uint64_t>(getpagesize()) == 0 &&
                         (s.p_vaddr - s.p_offset) % s.p_align == 0;
    if (!aligned) return leave();
    if (s.p_offset > file_.size() || s.p_filesz > file_.size() - s.p_offset) return kCutShort;
    if (s.p_filesz > s.p_memsz || s.p_vaddr > kMaxSpan || s.p_memsz > kMaxSpan)
      return "a segment is larger than it can be";
    // Each is mapped in whole pages, so two may not have a page in common.
    const uint64_t page = static_cast<uint64_t>(getpagesize());
    if (!loaded_.empty()) {
      const Elf64_Phdr& before = loaded_.back();
      if (s.p_vaddr / page * page < before.p_vaddr + before.p_memsz ||
          s.p_offset < before.p_offset + before.p_filesz)
        return "segments overlap, or are not in order";
    }
    loaded_.push_back(s);
    return nullptr;
  }

  // --- the dynamic section -----------------------------------------------------------------------
  const char* dynamic_section() {
    uint64_t end = 0;
    for (uint64_t at = dynamic_->p_vaddr;; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn d;
      if (!read(at, &d)) return "the dynamic section has no end";
      if (d.d_tag == DT_NULL) {
        end = at;
        break;
      }
      const uint64_t value = d.d_un.d_val;
      switch (d.d_tag) {
        case DT_NEEDED:
          needed_.push_back(value);
          [[fallthrough]];
        case DT_SONAME:
        case DT_RPATH:
        case DT_RUNPATH:
        case DT_AUXILIARY:
        case DT_FILTER:
        case DT_AUDIT:
        case DT_DEPAUDIT:
          names_.push_back(value);
          break;
        case DT_GNU_HASH:
          gnu_hash_ = value;
          break;
        case DT_VERSYM:
          version_of_symbol_ = value;
          break;
        case DT_VERNEED:
          versions_needed_ = value;
          break;
        case DT_VERDEF:
          versions_defined_ = value;
          break;
        case DT_RELR:
          packed_ = value;
          break;
        case DT_RELRSZ:
          packed_size_ = value;
          break;
        case DT_RELRENT:
          if (value != sizeof(Elf64_Xword)) return "packed relocations are of another size";
          break;
        case DT_RELACOUNT:
          relative_ = value;
          break;
        case DT_TEXTREL:
          changes_code_ = true;
          break;
        case DT_FLAGS_1:
          is_program_ = value & DF_1_PIE;
          break;
        default:
          if (d.d_tag < 0 || static_cast<size_t>(d.d_tag) >= has_.size()) break;
          has_[static_cast<size_t>(d.d_tag)] = true;
          value_[static_cast<size_t>(d.d_tag)] = value;
          if (d.d_tag == DT_FLAGS && value & DF_TEXTREL) changes_code_ = true;
      }
    }
    for (; end + sizeof(Elf64_Dyn) <= dynamic_->p_vaddr + dynamic_->p_filesz;
         end += sizeof(Elf64_Dyn)) {
      Elf64_Dyn d;
      if (!read(end, &d) || d.d_tag != DT_NULL) return "the dynamic section ends before its end";
    }
    if (has_[DT_RELAENT] && value_[DT_RELAENT] != sizeof(Elf64_Rela))
      return "relocations are of another size";
    if (has_[DT_SYMENT] && value_[DT_SYMENT] != sizeof(Elf64_Sym))
      return "symbols are of another size";
    if (has_[DT_PLTREL] && value_[DT_PLTREL] != DT_RELA) return "relocations are of another kind";
    if (has_[DT_REL]) return "relocations are of another kind";
    if (has_[DT_RELA] != has_[DT_RELASZ] || has_[DT_RELA] != has_[DT_RELAENT])
      return "relocations without a size";
    if (has_[DT_JMPREL] != has_[DT_PLTREL] || (has_[DT_JMPREL] && !has_[DT_PLTRELSZ]))
      return "relocations without a size";
    if (!has_[DT_STRTAB] || !has_[DT_SYMTAB]) return "there are no names, or no symbols";
    return is_program_ ? leave() : nullptr;
  }

  /// Lists that share their ends would be gone through again and again: no honest file has as many
  /// links as bytes.
  bool within() { return ++steps_ <= file_.size(); }

  // --- names and versions ------------------------------------------------------------------------
  const char* names() {
    const uint64_t at = value_[DT_STRTAB], n = has_[DT_STRSZ] ? value_[DT_STRSZ] : 0;
    const Elf64_Phdr* s = segment_of(at, n, &Elf64_Phdr::p_filesz);
    if (!s || !n) return "the names lie outside of the loaded segments";
    strings_ = file_.subspan(s->p_offset + (at - s->p_vaddr), n);
    if (strings_.back()) return "the last name has no end";
    for (uint64_t name : names_) {
      if (name >= strings_.size()) return "a name lies behind all others";
    }
    return nullptr;
  }
  const char* string(uint64_t at) const { return reinterpret_cast<const char*>(&strings_[at]); }

  const char* versions() {
    if (versions_needed_ && !needed_versions()) return "the versions needed lead nowhere";
    if (versions_defined_ && !defined_versions()) return "the versions defined lead nowhere";
    if (version_of_symbol_.has_value() != (last_version_ > 0)) return "versions are missing";
    return nullptr;
  }
  /// Lists that lead forward only, until an offset is 0.
  bool needed_versions() {
    Elf64_Verneed need;
    for (uint64_t at = *versions_needed_;; at += need.vn_next) {
      if (!read(at, &need) || need.vn_file >= strings_.size()) return false;
      const bool known = std::ranges::any_of(needed_, [&](uint64_t name) {
        return within() && !strcmp(string(name), string(need.vn_file));
      });
      if (!known) return false;
      Elf64_Vernaux one;
      for (uint64_t part = at + need.vn_aux;; part += one.vna_next) {
        if (!within() || !read(part, &one) || one.vna_name >= strings_.size()) return false;
        last_version_ = std::max<uint16_t>(last_version_, one.vna_other & kVersionIndex);
        if (!one.vna_next) break;
      }
      if (!need.vn_next) return true;
    }
  }
  bool defined_versions() {
    Elf64_Verdef defined;
    for (uint64_t at = *versions_defined_;; at += defined.vd_next) {
      Elf64_Verdaux name;
      if (!read(at, &defined) || !read(at + defined.vd_aux, &name)) return false;
      if (name.vda_name >= strings_.size()) return false;
      last_version_ = std::max<uint16_t>(last_version_, defined.vd_ndx & kVersionIndex);
      if (!defined.vd_next) return true;
    }
  }

  // --- symbols -----------------------------------------------------------------------------------
  bool symbol_is_sound(uint64_t n, Elf64_Sym* out) const {
    if (n > UINT32_MAX || !read(value_[DT_SYMTAB] + n * sizeof(Elf64_Sym), out)) return false;
    if (out->st_name >= strings_.size()) return false;
    const unsigned type = ELF64_ST_TYPE(out->st_info);
    const bool defined = out->st_shndx != SHN_UNDEF && out->st_shndx != SHN_ABS;
    if (defined && (type == STT_FUNC || type == STT_GNU_IFUNC) && !has_code(out->st_value))
      return false;
    if (defined && type == STT_TLS && !has_thread_data_) return false;
    if (!version_of_symbol_) return true;
    uint16_t version;
    return read(*version_of_symbol_ + n * sizeof version, &version) &&
           (version & kVersionIndex) <= last_version_;
  }
  /// Those that a search may come to.
  const char* symbols() {
    const bool sound = gnu_hash_ ? gnu_table() : !has_[DT_HASH] || old_table();
    return sound ? nullptr : "the table of symbols is damaged";
  }
  bool gnu_table() {
    struct {
      uint32_t buckets, first, words, shift;
    } t;
    if (!read(*gnu_hash_, &t) || !t.buckets || !t.words || t.words & (t.words - 1)) return false;
    if (t.shift >= 32) return false;
    const uint64_t filter = *gnu_hash_ + sizeof t, buckets = filter + uint64_t{t.words} * 8;
    const uint64_t chains = buckets + uint64_t{t.buckets} * 4;
    if (!in_file(filter, chains - filter)) return false;
    for (uint64_t b = 0; b < t.buckets; ++b) {
      uint32_t n, hash = 0;
      if (!read(buckets + b * 4, &n)) return false;
      if (n == 0) continue;
      if (n < t.first) return false;
      for (; !(hash & 1); ++n) {
        Elf64_Sym symbol;
        if (!within() || !read(chains + uint64_t{n - t.first} * 4, &hash) ||
            !symbol_is_sound(n, &symbol))
          return false;
        if (n == UINT32_MAX) return false;
      }
    }
    return true;
  }
  bool old_table() const {
    const uint64_t at = value_[DT_HASH];
    uint32_t buckets, chains;
    if (!read(at, &buckets) || !read(at + 4, &chains) || !buckets) return false;
    const uint64_t links = at + 8 + uint64_t{buckets} * 4;
    if (!in_file(at + 8, (uint64_t{buckets} + chains) * 4)) return false;
    uint64_t steps = 0;
    for (uint64_t b = 0; b < buckets; ++b) {
      uint32_t n;
      for (uint64_t from = at + 8 + b * 4; read(from, &n) && n; from = links + uint64_t{n} * 4) {
        Elf64_Sym symbol;
        if (n >= chains || ++steps > chains || !symbol_is_sound(n, &symbol)) return false;
      }
    }
    return true;
  }

  // --- relocations -------------------------------------------------------------------------------
  const char* relocations() {
    if (has_[DT_RELA] && !table(value_[DT_RELA], value_[DT_RELASZ], relative_))
      return "a relocation leads nowhere";
    if (has_[DT_JMPREL] && !table(value_[DT_JMPREL], value_[DT_PLTRELSZ], 0))
      return "a relocation leads nowhere";
    if (packed_ && !packed_table()) return "a packed relocation leads nowhere";
    return nullptr;
  }
  /// The first so many must be relative ones.
  bool table(uint64_t at, uint64_t size, uint64_t relative) {
    if (size % sizeof(Elf64_Rela) || !in_file(at, size)) return false;
    if (relative > size / sizeof(Elf64_Rela)) return false;
    for (uint64_t end = at + size; at < end; at += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      Elf64_Sym symbol{};
      if (!read(at, &r) || !is_writable(r.r_offset, sizeof(Elf64_Addr))) return false;
      const uint32_t type = ELF64_R_TYPE(r.r_info);
      if (type == kCopy) return false;  // for programs
      if (relative && (relative--, type != kRelative)) return false;
      if (!symbol_is_sound(ELF64_R_SYM(r.r_info), &symbol)) return false;
      const auto target = static_cast<uint64_t>(r.r_addend);
      if (type == kCallsResolver && !has_code(target)) return false;
      if (!fills(r.r_offset, type != kRelative || has_code(target))) return false;
      const bool elsewhere = ELF64_R_SYM(r.r_info) && symbol.st_shndx == SHN_UNDEF;
      if (std::ranges::count(kThreadLocal, type) && !elsewhere && !has_thread_data_) return false;
    }
    return true;
  }
  /// Addresses, and behind each a bit for every word that follows.
  bool packed_table() {
    if (packed_size_ % 8 || !in_file(*packed_, packed_size_)) return false;
    uint64_t where = 0;
    for (uint64_t at = *packed_; at < *packed_ + packed_size_; at += 8) {
      uint64_t entry;
      if (!read(at, &entry)) return false;
      if (!(entry & 1)) {
        if (!packed_word(entry)) return false;
        where = entry + 8;
        continue;
      }
      if (!where) return false;
      for (uint64_t bits = entry >> 1, word = where; bits; bits >>= 1, word += 8) {
        if (bits & 1 && !packed_word(word)) return false;
      }
      where += 63 * 8;
    }
    return true;
  }

  bool packed_word(uint64_t at) {
    uint64_t target = 0;
    return is_writable(at, 8) && fills(at, read(at, &target) && has_code(target));
  }

  // --- what is called at the beginning and the end -----------------------------------------------
  struct Array {
    uint64_t at = 0, size = 0;
    std::vector<bool> filled{};  // by a relocation, with a function
  };
  const char* functions_of_the_file() {
    for (size_t tag : {size_t{DT_INIT}, size_t{DT_FINI}}) {
      if (has_[tag] && !has_code(value_[tag])) return "its first or last function is none";
    }
    for (auto [at, size] : {std::pair<size_t, size_t>{DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                            std::pair<size_t, size_t>{DT_FINI_ARRAY, DT_FINI_ARRAYSZ}}) {
      if (!has_[at] && !has_[size]) continue;
      if (!has_[at] || !has_[size] || value_[size] % 8 || value_[at] % 8 ||
          !in_file(value_[at], value_[size]))
        return "its first and last functions are not there";
      arrays_.push_back({value_[at], value_[size], std::vector<bool>(value_[size] / 8)});
    }
    return nullptr;
  }
  const char* functions_are_there() {
    for (const Array& a : arrays_) {
      if (std::ranges::count(a.filled, false)) return "its first and last functions are not there";
    }
    return nullptr;
  }
  /// A relocation writes there; if it is to be called, a function.
  bool fills(uint64_t at, bool with_function) {
    for (Array& a : arrays_) {
      if (at < a.at || at - a.at >= a.size) continue;
      if ((at - a.at) % 8 || !with_function) return false;
      a.filled[(at - a.at) / 8] = true;
    }
    return true;
  }

  const char* leave() {
    left_to_dlopen_ = true;
    return nullptr;
  }

  std::span<const uint8_t> file_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> loaded_, others_;
  const Elf64_Phdr* dynamic_ = nullptr;
  bool left_to_dlopen_ = false, has_thread_data_ = false, changes_code_ = false,
       is_program_ = false;
  std::vector<Array> arrays_;
  std::array<bool, DT_FLAGS + 8> has_{};
  std::array<uint64_t, DT_FLAGS + 8> value_{};
  std::vector<uint64_t> needed_, names_;
  std::span<const uint8_t> strings_;
  std::optional<uint64_t> gnu_hash_, version_of_symbol_, versions_needed_, versions_defined_,
      packed_;
  uint64_t packed_size_ = 0, relative_ = 0, steps_ = 0;
  uint16_t last_version_ = 0;
};

}  // namespace

std::string damage_of_library(std::span<const uint8_t> file) {
  const char* wrong = LibraryFile(file).damage();
  return wrong ? wrong : "";
}

std::string damage_of_library_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return "";  // dlopen says so
  std::string damage;
  struct stat info{};
  if (fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode)) {
    damage = "a pipe is no library";  // dlopen would wait for a writer
  } else if (S_ISREG(info.st_mode) && info.st_size > 0) {
    const auto size = static_cast<size_t>(info.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      damage = damage_of_library({static_cast<const uint8_t*>(bytes), size});
      munmap(bytes, size);
    }
  }
  close(fd);
  return damage;
}

}  // namespace wb
