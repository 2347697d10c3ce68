// The driver `trace_file_drv`: a port that writes what it is sent, and the trace messages of those
// whose tracer it is, into a file, for dbg:trace_client/2,3 and fprof to read. Each as 0, the size
// in four bytes, and the bytes (of a message: its external form).
//
// What open_port/2 is given is "trace_file_drv n NAME", or, for files of limited size that follow
// each other, "trace_file_drv w SIZE COUNT MILLISECONDS INDEX n NAME": NAME gets a number at INDEX,
// from 0 to COUNT, then 0 again, and the oldest file goes when there are COUNT.
//
// A difference: BEAM's goes on to the next file when the time is up, ours with the next message.
#pragma once

#include <optional>
#include <string>

#include "vm/port/driver.h"

namespace wb {

class Port;

class TraceFile final : public PortDriver {
 public:
  struct Wrap {
    size_t size = 0;  ///< of a file
    uint32_t count = 0;
    uint64_t milliseconds = 0;  ///< instead of a size, if not 0
    size_t index = 0;           ///< where in the name the number goes
  };
  struct FileNames {
    std::string name;
    std::optional<Wrap> wrap;
    std::string file(uint32_t number) const;
  };
  /// What stands behind the driver's name. Nothing: it is not understood.
  static std::optional<FileNames> parse(const std::string& command);
  /// The first file, empty; -1 and errno.
  static int open_first(const FileNames& names);

  TraceFile(Port& port, int fd);
  ~TraceFile() override;

  bool control(Process& from, uint64_t operation, const std::string& in, std::string* out) override;
  void command(Term from, Term data, size_t size) override;
  void traced(const uint8_t* external, size_t size) override { packet(external, size); }
  bool takes_traces() const override { return true; }
  void stopped() override { write_out(); }
  size_t queued() const override { return 0; }
  void flush(uint64_t) override { write_out(); }
  size_t memory() const override { return buffer_.capacity(); }
  bool has_garbage() const override { return false; }
  void release_after_lock(bool all) override;

 private:
  static constexpr size_t kBuffer = 64 * 1024;

  void packet(const uint8_t* bytes, size_t size);
  bool write_out();  ///< false: it did not work (errno)
  bool next_file();
  bool is_full() const;

  Port& port_;
  const FileNames names_;
  int fd_;
  std::string buffer_;
  size_t length_ = 0;  ///< of this file
  uint64_t since_ = 0;
  uint32_t number_ = 0;        ///< of this file
  uint32_t oldest_ = 0;        ///< the next one to go
  uint32_t before_going_ = 0;  ///< so many more files until one has to
};

}  // namespace wb
