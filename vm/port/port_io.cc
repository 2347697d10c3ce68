// Bytes in and out of a port.
#include <limits.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/recording.h"
#include "term/binary.h"
#include "vm/core/vm.h"
#include "vm/io/iolist.h"
#include "vm/port/lockstep.h"
#include "vm/port/ports.h"

namespace wb {

constexpr size_t kReadSize = 64 * 1024;
/// At most so much is written in one go: the pipe's reader may be as fast as we are.
constexpr size_t kWriteSize = 256 * 1024;

/// Descriptors that others have, too, are not switched to non-blocking mode: they are asked first.
bool Port::would_block(int fd, short events) const {
  if (!shared_) return false;
  pollfd p{fd, events, 0};
  ssize_t n;
  do n = system_call([&] { return poll(&p, 1, 0); });
  while (n < 0 && errno == EINTR);
  return n == 0;
}

// --- input ---------------------------------------------------------------------------------------
void Port::start() {
  Guard guard(*this, Guard::Looking{});
  if (input_open_) await_input();
}

int Port::watch(Watch& w, uint32_t events) {
  return pid_ ? ports_.watch_program(w, events) : vm_.scheduler->watch_fd(w, events);
}
void Port::unwatch(Watch& w) {
  if (pid_)
    ports_.unwatch_program(w);
  else
    vm_.scheduler->unwatch_fd(w);
}

void Port::await_input() {
  int error = watch(in_, EPOLLIN);
  if (error == 0) return;
  if (error != EPERM) return fail(error);
  // A file: always ready, but slow. It is read off the schedulers, a piece a job.
  read_job_.port = shared_from_this();
  read_job_.run = read_always_ready;
  read_job_.done = read_again;
  vm_.scheduler->submit_dirty(DirtyKind::io, read_job_);
}
void Port::read_always_ready(DirtyJob&) {}
void Port::read_again(DirtyJob& job) {
  std::shared_ptr<Port> port = std::move(static_cast<ReadJob&>(job).port);
  ReaderGuard reader(port->vm_.scheduler->progress());
  Guard guard(*port);
  port->read_some();
}
void Port::readable(Worker&, FdWatch& watch, uint32_t) {
  Port& p = *static_cast<Watch&>(watch).port;
  Guard guard(p, PortTask::input);
  p.read_some();
}

void Port::read_some() {
  if (!input_open_) return;
  if (vm_.ports->standard_input_held() && reads_standard_input()) {
    input_held_ = true;
    return;
  }
  uint8_t buffer[kReadSize];
  ssize_t n = -1;
  errno = EAGAIN;
  if (!would_block(in_.fd, POLLIN))
    n = reading_call([&] { return ::read(in_.fd, buffer, sizeof buffer); }, buffer, sizeof buffer);
  if (n == 0) return input_ended();
  if (n < 0 && errno != EAGAIN && errno != EINTR) return fail(errno);
  if (n > 0) {
    if (options_.framing.mode != Framing::Mode::packet) bytes_in_ += static_cast<uint64_t>(n);
    if (Worker* w = Scheduler::current()) w->counters.bytes_in.add(static_cast<uint64_t>(n));
    deframer_.feed(buffer, static_cast<size_t>(n));
  }
  await_input();
}

bool Port::reads_standard_input() const {
  return terminal_ || (options_.kind == PortOptions::Kind::descriptors && options_.in &&
                       options_.fd_in == Terminal::kInput);
}
void Port::hold_input() {
  Guard guard(*this, Guard::Looking{});
  if (terminal_) terminal_->suspend();
}
void Port::resume_input() {
  Guard guard(*this, Guard::Looking{});
  if (terminal_ && state_ == State::open) terminal_->reapply();
  if (std::exchange(input_held_, false) && input_open_) await_input();
}

/// A message of the port to its owner.
void Port::deliver_frame(void* self, FrameEnd frame_end, const uint8_t* bytes, size_t n) {
  Port& p = *static_cast<Port*>(self);
  std::string typed;
  if (p.terminal_) {
    typed = p.terminal_->typed({reinterpret_cast<const char*>(bytes), n});
    if (typed.empty()) return;
    bytes = reinterpret_cast<const uint8_t*>(typed.data()), n = typed.size();
  }
  if (p.options_.framing.mode == Framing::Mode::packet) p.bytes_in_ += n;
  const std::string_view header = p.frame_header_;
  FragmentHeap h(16 + 2 * header.size() + (p.options_.binary ? kMaxHeapBinBytes / 8 : 2 * n));
  Term data = kNil;
  if (p.options_.binary) {
    data = make_binary(h, bytes, n);
    if (is_fault(data)) return p.fail(ENOMEM);
  } else {
    for (size_t k = n; k-- > 0;) data = cons(h, make_small(bytes[k]), data);
  }
  data = bytes_to_list(h, reinterpret_cast<const uint8_t*>(header.data()), header.size(), data);
  if (frame_end != FrameEnd::whole)
    data = tuple(h, frame_end == FrameEnd::eol ? am::eol : am::noeol, data);
  p.post(h, tuple(h, p.id, tuple(h, am::data, data)));
}

void Port::input_ended() {
  input_open_ = false;
  if (options_.exit_status && pid_ && !reaped_)
    ended_waits_ = true;
  else
    report_end();
}
void Port::child_ended(int status) {
  Guard guard(*this);
  reaped_ = true;
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (ended_waits_ && state_ == State::open) report_end();
}
void Port::report_end() {
  if (options_.exit_status && pid_) {
    FragmentHeap h(8);
    post(h, tuple(h, id, tuple(h, am::exit_status, make_small(status_))));
  }
  deframer_.finish();  // a last line without an end comes behind the exit status
  if (options_.eof)
    post_word(am::eof);
  else
    terminate(am::normal);
}

// --- output --------------------------------------------------------------------------------------
/// How many bytes went before it would have blocked. After an error: the port has ended.
size_t Port::write_some(const char* bytes, size_t n) {
  size_t done = 0;
  while (done < n && done < kWriteSize && !would_block(out_.fd, POLLOUT)) {
    size_t size = shared_ ? std::min<size_t>(n - done, PIPE_BUF) : n - done;
    const ssize_t w = system_call([&] { return ::write(out_.fd, bytes + done, size); });
    if (w > 0) {
      done += static_cast<size_t>(w);
      if (Worker* here = Scheduler::current())
        here->counters.bytes_out.add(static_cast<uint64_t>(w));
    } else if (w < 0 && errno == EAGAIN) {
      break;
    } else if (w < 0 && errno != EINTR) {
      fail(errno);
      return n;
    }
  }
  return done;
}

/// What the file in memory says to a command.
void Port::send_ram_answer(const RamFile::Answer& answer) {
  std::string_view data = answer.data.value_or(std::string_view());
  bytes_in_ += answer.head.size() + data.size();
  size_t words = options_.binary ? kMaxHeapBinBytes / 8 : 2 * data.size();
  FragmentHeap h(16 + 2 * answer.head.size() + words);
  Term list = kNil;
  if (options_.binary && answer.data) {
    list = make_binary(h, reinterpret_cast<const uint8_t*>(data.data()), data.size());
    if (is_fault(list)) return fail(ENOMEM);
  } else {
    for (size_t k = data.size(); k-- > 0;)
      list = cons(h, make_small(static_cast<uint8_t>(data[k])), list);
  }
  for (size_t k = answer.head.size(); k-- > 0;)
    list = cons(h, make_small(static_cast<uint8_t>(answer.head[k])), list);
  post(h, tuple(h, id, tuple(h, am::data, list)));
}

void Port::write(std::string bytes) {
  if (ram_) {
    bytes_out_ += bytes.size();
    if (auto said = ram_->run(bytes)) send_ram_answer(*said);
    return;
  }
  if (out_.fd < 0) return fail(EBADF);
  if (terminal_) return write_to_terminal(bytes);
  const bool packets = options_.framing.mode == Framing::Mode::packet;
  if (packets && bytes.empty()) return fail(EINVAL);
  bytes_out_ += bytes.size() - (packets ? options_.framing.size : 0);
  write_bytes(std::move(bytes));
}

void Port::write_to_terminal(std::string_view command) {
  bool reply;
  bytes_out_ += command.size();
  std::string bytes = terminal_->run(command, &reply);
  if (!bytes.empty()) write_bytes(std::move(bytes));
  if (reply) post_word(am::ok);
}

void Port::write_bytes(std::string bytes) {
  if (Lockstep* l = ports_.lockstep(); l && pid_) l->given(pid_);
  size_t done = queued() ? 0 : write_some(bytes.data(), bytes.size());
  if (done == bytes.size()) return;
  if (queued()) {
    queue_ += bytes;
  } else {
    queue_ = std::move(bytes);
    queue_done_ = done;
  }
  if (queued() >= options_.busy_high) busy_ = true;
  await_output();
}

void Port::await_output() {
  if (output_armed_) return;
  int error = watch(out_, EPOLLOUT);
  output_armed_ = error == 0;
  if (error == EPERM) return write_queue();  // a file takes everything
  if (error) fail(error);
}
void Port::writable(Worker&, FdWatch& watch, uint32_t) {
  Port& p = *static_cast<Watch&>(watch).port;
  Guard guard(p, PortTask::output);
  p.output_armed_ = false;
  if (p.state_ != State::closed) p.write_queue();
}
void Port::write_queue() {
  while (queued()) {
    size_t done = write_some(queue_.data() + queue_done_, queued());
    if (state_ == State::closed) return;
    queue_done_ += done;
    if (!queued()) break;
    if (queue_done_ > queue_.size() / 2) queue_.erase(0, std::exchange(queue_done_, 0));
    if (watch(out_, EPOLLOUT) == 0) {
      output_armed_ = true;
      break;
    }
  }
  if (!queued()) queue_.clear(), queue_.shrink_to_fit(), queue_done_ = 0;
  if (busy_ && queued() < options_.busy_low) {
    busy_ = false;
    resume_waiting();
  }
  if (!queued() && state_ == State::closing) finish();
}

void Port::flush(uint64_t deadline_ns) {
  if (driver_) return driver_->flush(deadline_ns);
  while (state_ != State::closed && queued()) {
    uint64_t now = vm_.scheduler->now_ns();
    pollfd p{out_.fd, POLLOUT, 0};
    if (now >= deadline_ns || poll(&p, 1, static_cast<int>((deadline_ns - now) / 1'000'000)) == 0)
      return;
    size_t size = std::min<size_t>(queued(), shared_ ? PIPE_BUF : kWriteSize);
    const ssize_t w =
        system_call([&] { return ::write(out_.fd, queue_.data() + queue_done_, size); });
    if (w > 0) queue_done_ += static_cast<size_t>(w);
    if (w < 0 && errno != EINTR && errno != EAGAIN) return;
  }
  if (terminal_) terminal_->restore();
}

}  // namespace wb
