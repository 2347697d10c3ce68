#include "vm/observe/observer.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/allocator.h"
#include "base/own_files.h"
#include "scheduler/scheduler.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/observe/json.h"
#include "vm/observe/request.h"
#include "vm/observe/sampler.h"
#include "vm/observe/socket_path.h"
#include "vm/observe/state_replies.h"
#include "vm/process/route.h"
#include "vm/process/run.h"
#include "vm/trace/tracing.h"

namespace wb {

/// How soon a trace that costs too much is taken out.
constexpr int kTracePatience = 50;
/// How long a worker may be awake without a slice and count as one that sleeps.
constexpr int kSettle = 20;

static Sampler& sampler_of(Vm& vm) { return *vm.sampler; }

static uint64_t clock_ns(clockid_t id) {
  timespec t;
  if (clock_gettime(id, &t) != 0) return 0;
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

Observer::Observer(Vm& vm, std::string program, bool actions)
    : scan(vm), vm_(vm), program_(std::move(program)), actions_(actions) {
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_ >= 0) thread_.start("wb-observe", thread_main, this);
}

Observer::~Observer() {
  query_waiter.give_up();
  vm_.states->give_up();
  ends_.store(true, std::memory_order_relaxed);  // ordered by the eventfd
  uint64_t one = 1;
  if (wake_ >= 0 && write(wake_, &one, sizeof one) != sizeof one) return;  // cannot fail
  thread_.join();
  if (wake_ >= 0) close(wake_);
}

uint64_t Observer::cpu_ns() const { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

size_t Observer::memory() const {
  size_t bytes = scan.memory() + past.memory() + (warnings ? warnings->memory() : 0);
  bytes += vm_.tracing->watch.memory() + pending_queries.size() * (sizeof(ProcessQuery) + 64);
  for (const auto& c : connections_) bytes += sizeof *c + c->in.capacity() + c->out.capacity();
  return bytes;
}

// --- the socket ----------------------------------------------------------------------------------
/// The socket gets its name when it can be connected to: who finds it is not refused.
bool Observer::listen() {
  std::string directory = observer_directory();
  path_ = observer_socket(directory, getpid());
  const std::string unready = directory + "/" + std::to_string(getpid()) + ".new";
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path || make_own_directory(directory) != 0) return false;
  memcpy(address.sun_path, unready.c_str(), unready.size());
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  unlink(unready.c_str());  // of a process that had our number and was killed
  auto* a = reinterpret_cast<sockaddr*>(&address);
  if (fchmod(fd, 0600) == 0 && bind(fd, a, sizeof address) == 0 &&
      chmod(unready.c_str(), 0600) == 0 && ::listen(fd, 64) == 0 &&
      rename(unready.c_str(), path_.c_str()) == 0) {
    listening_ = fd;
    return true;
  }
  close(fd);
  unlink(unready.c_str());
  return false;
}

/// One line about why; whoever does not take it has nothing of it.
static void refuse(int fd) {
  const std::string text = R"({"id":null,"ok":false,"error":"the machine serves )" +
                           std::to_string(Observer::kConnections) + R"( observers already"})";
  const uint32_t length = htonl(static_cast<uint32_t>(text.size()));
  const std::string frame = std::string(reinterpret_cast<const char*>(&length), 4) + text;
  [[maybe_unused]] ssize_t sent =
      ::send(fd, frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Observer::accept() {
  int fd = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  ucred who = {};
  socklen_t size = sizeof who;
  bool ours = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == getuid();
  if (ours && connections_.size() == kConnections) refuse(fd);
  if (!ours || connections_.size() == kConnections) {
    close(fd);
    return;
  }
  connections_.push_back(std::make_unique<ObserverConnection>());
  connections_.back()->fd = fd;
}

void Observer::drop(ObserverConnection& c) {
  ReaderGuard guard(vm_.scheduler->progress());
  for (Term pid : c.suspended) route(vm_, pid, new_signal(SignalKind::resume));
  close(c.fd);
}

static uint64_t slices_run(Scheduler& s) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < s.all_worker_count(); ++i) n += s.worker(i).counters.slices.value();
  return n;
}

/// Nobody looks, nothing ran between the last two looks, and nothing has since: another one would
/// say the same. Who computes now and then is seen each second.
bool Observer::is_quiet() const {
  return rests_ && connections_.empty() && !warnings && !vm_.tracing->watch.on() &&
         slices_run(*vm_.scheduler) == slices_at_look_;
}

/// Keeps one, if it is time.
void Observer::look() {
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (past.due_in_ms(now) || is_quiet()) return;
  const uint64_t slices = slices_run(*vm_.scheduler);
  rests_ = slices == slices_at_look_;
  settles_ = false;
  slices_at_look_ = slices;
  std::string home;
  JsonWriter w(home);
  const uint64_t time_ms = write_home(w, *this);
  past.keep(now, time_ms, home);
}

/// How long to wait, in milliseconds; -1: until somebody connects or a worker wakes up. One that
/// only cleans up falls asleep again soon.
int Observer::patience() {
  if (is_quiet()) {
    if (vm_.scheduler->await_waking(wake_)) return settles_ = false, -1;
    if (!std::exchange(settles_, true)) return kSettle;
    rests_ = false;
  }
  int ms = past.due_in_ms(clock_ns(CLOCK_MONOTONIC));
  if (warnings) ms = std::min(ms, warnings->due_in_ms());
  return vm_.tracing->watch.on() ? std::min(ms, kTracePatience) : ms;
}

void Observer::serve() {
  if (!listen()) return;
  std::vector<pollfd> fds;
  past.begin(clock_ns(CLOCK_MONOTONIC));
  for (;;) {
    fds.assign({{wake_, POLLIN, 0}, {listening_, POLLIN, 0}});
    for (const auto& c : connections_) {
      fds.push_back({c->fd, static_cast<short>(c->out.empty() ? POLLIN : POLLOUT), 0});
    }
    look();
    if (warnings && warnings->is_over()) warnings.reset();
    if (warnings) warnings->look();
    if (connections_.empty()) empty_thread_cache();
    const bool failed = poll(fds.data(), fds.size(), patience()) < 0 && errno != EINTR;
    vm_.scheduler->stop_awaiting_waking();  // before anything that ends this thread
    if (failed) break;
    uint64_t woken;
    if (fds[0].revents && read(wake_, &woken, sizeof woken) < 0) break;
    if (ends_.load(std::memory_order_relaxed)) break;
    size_t n = fds.size() - 2;
    for (size_t k = n; k-- > 0;) {
      ObserverConnection& c = *connections_[k];
      if (!fds[k + 2].revents) continue;
      bool lives = c.out.empty() ? receive(c) : send(c);
      while (lives && c.out.empty() && !c.closing && take_frame(c)) lives = send(c);
      if (lives && !(c.closing && c.out.empty())) continue;
      drop(c);
      connections_.erase(connections_.begin() + static_cast<ptrdiff_t>(k));
    }
    update_sampling(0);
    update_measuring();
    update_trace();
    if (connections_.empty()) scan.forget(), forget_pending_queries();
    if (fds[1].revents) accept();
  }
  sampler_of(vm_).stop();
  end_trace();
  unlink(path_.c_str());
  close(listening_);
  for (auto& c : connections_) drop(*c);
  forget_pending_queries();
}

void Observer::forget_pending_queries() {
  for (auto& [pid, query] : pending_queries) query->drop();
  pending_queries.clear();
}

void Observer::measure(ObserverConnection& c) {
  c.measures = true;
  vm_.scheduler->measure(true, true);
}
void Observer::update_measuring() {
  bool wanted = std::any_of(connections_.begin(), connections_.end(),
                            [](const auto& c) { return c->measures; });
  vm_.scheduler->measure(wanted || warnings);
}
void Observer::update_sampling(uint32_t hz) {
  bool wanted = std::any_of(connections_.begin(), connections_.end(),
                            [](const auto& c) { return c->profiles; });
  vm_.host->watch(ProcessHost::kSampler, wanted);
  if (!wanted) return sampler_of(vm_).stop();
  if (hz) sampler_of(vm_).start(vm_.scheduler->all_worker_count(), hz);
}

// --- frames --------------------------------------------------------------------------------------
/// False: the other end is gone.
bool Observer::receive(ObserverConnection& c) {
  char buffer[4096];
  ssize_t n = recv(c.fd, buffer, sizeof buffer, 0);
  if (n > 0) c.in.append(buffer, static_cast<size_t>(n));
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool Observer::send(ObserverConnection& c) {
  while (c.sent < c.out.size()) {
    ssize_t n = ::send(c.fd, c.out.data() + c.sent, c.out.size() - c.sent, MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    c.sent += static_cast<size_t>(n);
    cost.bytes_out += static_cast<uint64_t>(n);
  }
  c.sent = 0;
  c.out.clear();
  if (c.out.capacity() > 256 * 1024) c.out.shrink_to_fit();
  return true;
}

/// The frame that starts in c.out gets its length.
static void close_frame(std::string& out) {
  uint32_t length = htonl(static_cast<uint32_t>(out.size() - 4));
  memcpy(out.data(), &length, 4);
}

static void refuse(ObserverConnection& c, std::string_view id, std::string_view why) {
  c.out.assign(4, '\0');
  JsonWriter w(c.out);
  c.out += '{';
  w.key("id").raw(id).boolean("ok", false).text("error", why).close('}');
}

/// True: a request was answered.
bool Observer::take_frame(ObserverConnection& c) {
  if (c.in.size() < 4) return false;
  uint32_t length;
  memcpy(&length, c.in.data(), 4);
  length = ntohl(length);
  if (length > ObserverRequest::kMostBytes) {
    refuse(c, "null", "a request has at most 65536 bytes");
    close_frame(c.out);
    c.closing = true;
    return true;
  }
  if (c.in.size() - 4 < length) return false;
  std::string frame = c.in.substr(4, length);
  c.in.erase(0, 4 + size_t{length});
  uint64_t begin = clock_ns(CLOCK_MONOTONIC);
  answer_request(c, frame);
  close_frame(c.out);
  ++cost.requests;
  cost.last_request_ns = clock_ns(CLOCK_MONOTONIC) - begin;
  return true;
}

// --- requests ------------------------------------------------------------------------------------
namespace {
struct Known {
  std::string_view name;
  std::string (*answer)(RequestContext&);
};
constexpr Known kKnown[] = {
#define REQUEST(name, text) {#name, answer_##name},
#include "vm/observe/requests.def"
#undef REQUEST
};
}  // namespace

void Observer::answer_request(ObserverConnection& c, std::string_view json) {
  ObserverRequest request;
  std::string error;
  if (!request.parse(json, &error)) return refuse(c, "null", error);
  std::string id = std::to_string(request.number("id", 0, 0, int64_t{1} << 53));
  auto known = std::find_if(std::begin(kKnown), std::end(kKnown),
                            [&](const Known& k) { return k.name == request.text("do"); });
  if (known == std::end(kKnown)) return refuse(c, id, "no such request");
  c.out.assign(4, '\0');
  c.out += '{';
  JsonWriter w(c.out);
  w.key("id").raw(id).boolean("ok", true).object("data");
  RequestContext asked{*this, c, request, w, vm_};
  error = known->answer(asked);
  if (!error.empty()) return refuse(c, id, error);
  w.close('}').close('}');
  if (c.out.size() > kMostAnswer) refuse(c, id, "the answer would be too large: ask for less");
}

}  // namespace wb
