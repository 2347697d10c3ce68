// Descriptors 0, 1 and 2 for the processes that serve them (lib/whitebeam_io.erl): reading and
// writing without ever blocking a scheduler.
//
//   write  writes what goes at once. If all went: `ok`. Else the rest is written as the descriptor
//          takes it, and the process gets {whitebeam_written, Fd, ok}.
//   read   a binary, `eof`, or `wait`: then {whitebeam_readable, Fd} comes when there is something.
//
// The descriptors belong to others as well (the shell, the next program in a pipe), so they are not
// switched to non-blocking mode: poll() says before each call whether it can block, and a pipe
// takes at least PIPE_BUF bytes when it says no. Regular files never block for long. A seeded run
// blocks: its one thread has nothing else to do that would be the same in each run.
//
// Output that nobody can take any more (a closed pipe, a full disk) ends the machine with a
// message: a program that prints has no way to notice, and must not appear to have succeeded.
//
// Rejected: a thread for each descriptor (a read that blocks could not be ended with the machine).
#pragma once

#include <atomic>
#include <string>

#include "scheduler/io_poller.h"
#include "term/heap.h"

namespace wb {

class Vm;

class Descriptor {
 public:
  Descriptor(Vm& vm, int fd) : vm_(vm) { watch_.fd = fd; }

  Term write(Term owner, const uint8_t* bytes, size_t n);  ///< am::ok or am::wait
  Term read(Heap& h, Term owner);                          ///< binary, am::eof, am::wait
  int fd() const { return watch_.fd; }

 private:
  struct Watch : FdWatch {
    Descriptor* descriptor = nullptr;
  };
  static void ready(Worker&, FdWatch& watch, uint32_t events);
  bool would_block(short events) const;
  size_t write_some(const uint8_t* bytes, size_t n);
  bool write_rest();
  bool await(Term owner, uint32_t events);
  void notify_owner();
  [[noreturn]] void fail(int error) const;

  Vm& vm_;
  Watch watch_;
  Term owner_ = kNil;
  std::string rest_;  ///< being written
  size_t rest_done_ = 0;
};

}  // namespace wb
