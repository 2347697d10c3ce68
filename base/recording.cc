#include "base/recording.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "base/build_id.h"
#include "base/processor_time.h"

namespace wb {
namespace {

constexpr char kMagic[8] = {'W', 'B', 'R', 'E', 'C', 'O', 'R', 'D'};
constexpr uint32_t kVersion = 1;
constexpr size_t kBlock = 64 << 10;
constexpr uint64_t kFlushNs = 1'000'000'000, kTickNs = 1000;
constexpr uint64_t kAsleepNs = 20'000'000;  // a machine that sleeps has written
constexpr uint64_t kHopeless = 10'000'000;  // questions between two slices
constexpr size_t kLargestHead = 1 << 20;

struct FileHead {
  char magic[8];
  uint32_t version, head_size;
  BuildId build;
  uint32_t check, unused;  ///< of the head
};
struct BlockHead {
  uint32_t size, check;
};

constexpr const char* kTexts[] = {
#define INPUT(name, text) text,
#include "base/inputs.def"
};
constexpr size_t kKinds = std::size(kTexts);
const char* text_of(Input kind) { return kTexts[static_cast<size_t>(kind)]; }

uint64_t real_time() { return read_clock(CLOCK_MONOTONIC); }
uint32_t check_of(const void* bytes, size_t n) {
  return static_cast<uint32_t>(
      crc32_z(0, static_cast<const unsigned char*>(bytes), static_cast<z_size_t>(n)));
}
BuildId this_build() {
  BuildId id{};
  (void)find_build_id(&id);
  return id;
}

/// Positive and negative numbers near 0 are small.
uint64_t folded(int64_t n) { return (uint64_t(n) << 1) ^ uint64_t(n >> 63); }
int64_t unfolded(uint64_t n) { return int64_t(n >> 1) ^ -int64_t(n & 1); }

bool is_moment(Input kind) {
  return kind == Input::time || kind == Input::reports || kind == Input::os_signal ||
         kind == Input::job;
}

constexpr const char* kCutEntry = "whitebeam: the recording is damaged: an entry without an end\n";

}  // namespace

constinit thread_local Recording::Answers* Recording::job_here = nullptr;

// --- the file ------------------------------------------------------------------------------------
Recording::Recording(FILE* file, std::string head, bool replays)
    : file_(file), head_(std::move(head)), replays_(replays), asker_(pthread_self()) {}

Recording::~Recording() { fclose(file_); }

Recording::Made Recording::create(const std::string& path, const std::string& head) {
  // It holds what the program reads: passwords and keys.
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  FILE* file = fd < 0 ? nullptr : fdopen(fd, "wb");
  if (!file) return path + ": " + strerror(errno);
  FileHead h{};
  memcpy(h.magic, kMagic, sizeof kMagic);
  h.version = kVersion, h.build = this_build();
  h.head_size = static_cast<uint32_t>(head.size()), h.check = check_of(head.data(), head.size());
  if (fwrite(&h, sizeof h, 1, file) != 1 ||
      fwrite(head.data(), 1, head.size(), file) != head.size()) {
    const std::string error = path + ": " + strerror(errno);
    fclose(file);
    return error;
  }
  return std::unique_ptr<Recording>(new Recording(file, head, false));
}

Recording::Made Recording::open(const std::string& path) {
  FILE* file = fopen(path.c_str(), "rbe");
  if (!file) return path + ": " + strerror(errno);
  FileHead h;
  std::string head, error;
  if (fread(&h, sizeof h, 1, file) != 1 || memcmp(h.magic, kMagic, sizeof kMagic) != 0) {
    error = path + ": no recording";
  } else if (h.version != kVersion || h.build != this_build()) {
    error = path + ": another build of whitebeam has recorded it";
  } else {
    head.resize(std::min<size_t>(h.head_size, kLargestHead));
    const bool whole = fread(head.data(), 1, head.size(), file) == head.size();
    if (!whole || head.size() != h.head_size || check_of(head.data(), head.size()) != h.check)
      error = path + ": damaged: its head";
  }
  if (error.empty()) return std::unique_ptr<Recording>(new Recording(file, std::move(head), true));
  fclose(file);
  return error;
}

std::unique_ptr<Recording> Recording::of_entries(std::vector<uint8_t> entries) {
  FILE* nothing = fopen("/dev/null", "rbe");
  WB_CHECK(nothing);
  std::unique_ptr<Recording> made(new Recording(nothing, {}, true));
  made->block_.bytes = std::move(entries);
  return made;
}

void Recording::fail_to_write() {
  const std::string text =
      std::string("whitebeam: cannot write the recording: ") + strerror(errno) + "\n";
  end_instance(1, text.c_str());
}

void Recording::write_block() {
  const BlockHead h{static_cast<uint32_t>(block_.bytes.size()),
                    check_of(block_.bytes.data(), block_.bytes.size())};
  if (fwrite(&h, sizeof h, 1, file_) != 1 ||
      fwrite(block_.bytes.data(), 1, block_.bytes.size(), file_) != block_.bytes.size())
    fail_to_write();
  bytes_ += sizeof h + block_.bytes.size();
  block_.bytes.clear();
}

void Recording::flush() {
  if (replays_) return;
  if (!block_.bytes.empty()) write_block();
  if (fflush(file_) != 0) fail_to_write();
  flushed_at_ = last_time();
}

uint64_t Recording::sleep_at_most(uint64_t ns) {
  if (replays_ || ns == 0) return 0;
  if (block_.bytes.empty()) return ns;
  const uint64_t since = real_time() - flushed_at_;
  if (since >= kAsleepNs) return flush(), ns;
  return std::min(ns, kAsleepNs - since);
}

/// False: there is none, or it was cut short.
bool Recording::next_block() {
  BlockHead h;
  if (fread(&h, sizeof h, 1, file_) != 1) return false;
  const long here = ftell(file_);
  if (fseek(file_, 0, SEEK_END) != 0) return false;
  const long end = ftell(file_);
  if (here < 0 || end - here < static_cast<long>(h.size) || fseek(file_, here, SEEK_SET) != 0)
    return false;
  block_.bytes.resize(h.size);
  block_.at = 0;
  return h.size != 0 && fread(block_.bytes.data(), 1, h.size, file_) == h.size &&
         check_of(block_.bytes.data(), h.size) == h.check;
}

// --- entries -------------------------------------------------------------------------------------
void Recording::begin(Input kind) {
  if (!job_here) {
    if (block_.bytes.size() >= kBlock) write_block();
    ++entries_;
  }
  log().bytes.push_back(static_cast<uint8_t>(kind));
}
void Recording::begin_moment(Input kind) {
  begin(kind);
  put(slices_ - kept_slices_);
  put(asked_);
  kept_slices_ = slices_;
}
void Recording::put(uint64_t n) {
  std::vector<uint8_t>& to = log().bytes;
  for (; n >= 0x80; n >>= 7) to.push_back(static_cast<uint8_t>(n | 0x80));
  to.push_back(static_cast<uint8_t>(n));
}
void Recording::put(const void* bytes, size_t size) {
  const auto* b = static_cast<const uint8_t*>(bytes);
  std::vector<uint8_t>& to = log().bytes;
  to.insert(to.end(), b, b + size);
}

uint64_t Recording::get() {
  Answers& from = log();
  uint64_t n = 0;
  for (unsigned shift = 0; from.at < from.bytes.size() && shift < 64; shift += 7) {
    const uint8_t byte = from.bytes[from.at++];
    n |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) return n;
  }
  end_instance(kExitDeparts, kCutEntry);
}
void Recording::get(void* bytes, size_t size) {
  Answers& from = log();
  if (from.bytes.size() - from.at < size) end_instance(kExitDeparts, kCutEntry);
  if (size != 0) memcpy(bytes, from.bytes.data() + from.at, size);
  from.at += size;
}

/// False: the log is at its end.
bool Recording::peek() {
  if (peeked_) return true;
  if (block_.at == block_.bytes.size() && !next_block()) return false;
  const uint8_t kind = block_.bytes[block_.at++];
  if (kind >= kKinds)
    end_instance(kExitDeparts, "whitebeam: the recording is damaged: an unknown entry\n");
  next_ = static_cast<Input>(kind);
  if (is_moment(next_)) due_slices_ = kept_slices_ + get(), due_asked_ = get();
  if (next_ == Input::clock) due_looks_ = get();
  return peeked_ = true;
}
bool Recording::is_due(Input kind) {
  if (!peek()) end_of_log();
  const bool is_one = is_moment(next_);
  // Nobody runs any more, and what comes next is not what anybody waits for.
  if (asked_ > (is_one ? due_asked_ : 0) + kHopeless || (is_one && slices_ > due_slices_))
    depart(kind);
  if (!is_one) return false;
  if (next_ != kind || slices_ < due_slices_ || asked_ < due_asked_) return false;
  peeked_ = false;
  kept_slices_ = due_slices_;
  ++entries_;
  return true;
}
void Recording::expect(Input kind) {
  if (job_here) {
    const auto next = static_cast<Input>(get());
    if (next != kind) depart(kind, "by native work that asked for something else then");
    return;
  }
  if (!peek()) end_of_log();
  if (next_ != kind) depart(kind);
  peeked_ = false;
  ++entries_;
}

void Recording::depart(Input asked, std::string_view detail) {
  std::string text = "whitebeam: here the replay departs from the recording, at entry " +
                     std::to_string(entries_) + ": it asks for " + text_of(asked);
  if (!detail.empty())
    text += ", " + std::string(detail);
  else
    text += std::string(", recorded is ") + text_of(next_);
  text += '\n';
  end_instance(kExitDeparts, text.c_str());
}
void Recording::end_of_log() {
  if (on_cut) on_cut(cut_handler);
  end_instance(
      0, "whitebeam: here the recording ends: the machine was killed, or the file is cut short\n");
}

// --- answers -------------------------------------------------------------------------------------
uint64_t Recording::number(Input kind, uint64_t live) {
  if (!is_asked_here()) return live;
  if (replays_) return expect(kind), get();
  begin(kind);
  put(live);
  return live;
}
std::string Recording::text(Input kind, std::string live) {
  if (!is_asked_here()) return live;
  if (replays_) {
    expect(kind);
    const uint64_t size = get();
    if (size > log().bytes.size()) end_instance(kExitDeparts, kCutEntry);
    std::string kept(size, '\0');
    get(kept.data(), size);
    return kept;
  }
  begin(kind);
  put(live.size());
  put(live.data(), live.size());
  return live;
}
void Recording::code(const std::string& path, std::optional<std::vector<uint8_t>>* live) {
  enum : uint64_t { kAbsent, kChecked, kWhole };
  if (!is_asked_here()) return;
  struct stat s;
  const bool stays = !replays_ && !library.empty() && path.starts_with(library) &&
                     stat(path.c_str(), &s) == 0 && s.st_mtime < began_;
  const uint64_t how = number(Input::code, !*live ? kAbsent : stays ? kChecked : kWhole);
  if (how == kAbsent) return live->reset();
  if (how == kChecked) {
    const uint64_t check = *live ? check_of((*live)->data(), (*live)->size()) : ~uint64_t{0};
    if (number(Input::code, check) != check)
      depart(Input::code, path + ", which is not what it was");
    return;
  }
  std::string bytes;
  if (*live) bytes.assign((*live)->begin(), (*live)->end());
  bytes = text(Input::code, std::move(bytes));
  live->emplace(bytes.begin(), bytes.end());
}

ssize_t Recording::note_call(ssize_t n, std::initializer_list<Written> written, bool reads) {
  const int error = errno;
  if (!is_asked_here()) {
    errno = replays_ ? EBADF : error;
    return n;
  }
  if (replays_) {
    expect(Input::call);
    n = static_cast<ssize_t>(unfolded(get()));
    if (n < 0) errno = static_cast<int>(get());
  } else {
    begin(Input::call);
    put(folded(n));
    if (n < 0) put(static_cast<uint64_t>(error));
  }
  if (n < 0) return n;
  for (const Written& w : written) {
    if (reads && static_cast<size_t>(n) > w.size) depart(Input::call, "of a smaller size");
    transfer(w.bytes, reads ? static_cast<size_t>(n) : w.size);
  }
  if (!replays_) errno = error;
  return n;
}
void Recording::transfer(void* bytes, size_t size) {
  if (!is_asked_here()) return;
  replays_ ? get(bytes, size) : put(bytes, size);
}

// --- between slices ------------------------------------------------------------------------------
uint64_t Recording::time(uint64_t grain) {
  const uint64_t before = last_time();
  ++asked_;
  uint64_t now = before;
  if (replays_) {
    if (is_due(Input::time)) now += get();
  } else if (uint64_t real = real_time(); real > before && real - before >= grain) {
    begin_moment(Input::time);
    put(real - before);
    now = real;
    if (now - flushed_at_ >= kFlushNs) flush();
  }
  now_.store(now, std::memory_order_relaxed);
  return now;
}
uint64_t Recording::read_clock() {
  if (job_here) return number(Input::clock, real_time());
  const uint64_t before = last_time();
  if (!is_asked_here()) return before;
  uint64_t now = before;
  if (replays_) {
    if (!peek()) end_of_log();
    if (next_ == Input::clock && due_looks_ == looks_) {
      now += get();
      peeked_ = false, looks_ = 0, ++entries_;
    } else {
      ++looks_;
    }
  } else if (uint64_t real = real_time(); real >= before + kTickNs) {
    begin(Input::clock);
    put(std::exchange(looks_, 0));
    put(real - before);
    now = real;
  } else {
    ++looks_;
  }
  now_.store(now, std::memory_order_relaxed);
  if (before == 0) began_ns_ = now;
  return now;
}

void Recording::reports(std::vector<Report>* live) {
  ++asked_;
  if (!replays_) {
    if (live->empty()) return;
    begin_moment(Input::reports);
    put(live->size());
    for (const Report& r : *live) put(r.name), put(r.events);
    return;
  }
  live->clear();
  if (!is_due(Input::reports)) return;
  for (uint64_t n = get(); n > 0; --n) {
    const uint64_t name = get();
    live->push_back({name, static_cast<uint32_t>(get())});
  }
}

void Recording::end_job(uint64_t number, const Answers& answers) {
  begin_moment(Input::job);
  put(number);
  put(answers.bytes.size());
  put(answers.bytes.data(), answers.bytes.size());
}
bool Recording::take_job(uint64_t* number, Answers* answers) {
  ++asked_;
  if (!replays_ || !is_due(Input::job)) return false;
  *number = get();
  const uint64_t size = get();
  if (size > block_.bytes.size()) end_instance(kExitDeparts, kCutEntry);
  *answers = {};
  answers->bytes.resize(size);
  get(answers->bytes.data(), size);
  return true;
}

void Recording::post_signal(int signal) {
  std::lock_guard lock(signals_lock_);
  signals_.push_back(signal);
}
int Recording::take_signal() {
  ++asked_;
  if (replays_) return is_due(Input::os_signal) ? static_cast<int>(get()) : 0;
  int signal = 0;
  {
    std::lock_guard lock(signals_lock_);
    if (signals_.empty()) return 0;
    signal = signals_.front();
    signals_.erase(signals_.begin());
  }
  begin_moment(Input::os_signal);
  put(static_cast<uint64_t>(signal));
  return signal;
}

void Recording::handle_signals() {
  while (const int signal = take_signal()) {
    if (on_signal) on_signal(signal_handler, signal);
  }
}

std::string Recording::finish(int exit_code) {
  is_over_ = true;  // no worker runs any more
  if (!replays_) {
    begin(Input::ended);
    put(static_cast<uint64_t>(exit_code));
    flush();
    return {};
  }
  if (!peek()) return "here the recording ends: the machine was killed, or the file is cut short";
  if (next_ != Input::ended)
    return std::string("the replay has ended, the recording goes on with ") + text_of(next_);
  const uint64_t recorded = get();
  if (recorded == static_cast<uint64_t>(exit_code)) return {};
  return "the replay has ended with exit code " + std::to_string(exit_code) +
         ", the recorded run with " + std::to_string(recorded);
}

int close_descriptor(int fd) {
  return static_cast<int>(system_call([=] { return ::close(fd); }));
}
int descriptor_status(int fd, struct stat* status) {
  return static_cast<int>(
      system_call([=] { return ::fstat(fd, status); }, {{status, sizeof *status}}));
}

}  // namespace wb
