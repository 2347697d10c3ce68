// A virtual machine that stays: it runs an interpreter of sequences, which reads one sequence a
// line and answers with its transcript. Started when first asked, and again after it died or was
// too slow.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace whitebeam::models {

class Machine {
 public:
  Machine(std::vector<std::string> command, std::string log, int seconds);
  ~Machine();
  Machine(const Machine&) = delete;

  bool running() const { return pid_ != 0; }

  // The transcript, one line a step. Its last line says so when the machine ended or gave no answer
  // in time.
  std::string run(const std::string& sequence);

 private:
  void start();
  void stop();
  bool write_all(const std::string& text);
  std::string read_answer();

  std::vector<std::string> command_;
  std::string log_;  // where its standard error goes
  int seconds_;      // for one sequence
  pid_t pid_ = 0;
  int to_ = -1, from_ = -1;
  std::string unread_;
};

}  // namespace whitebeam::models
