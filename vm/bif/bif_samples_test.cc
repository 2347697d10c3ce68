// What OTP 25 makes of calls of BIFs (tests/data/otp25_bifs.tsv by gen_bif_samples.erl beside it,
// otp25_binary_bifs.tsv by gen_binary_samples.erl).
#include <catch2/catch.hpp>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "term/external.h"
#include "term/order.h"
#include "term/print.h"
#include "term/test_funs.h"
#include "term/test_heap.h"
#include "vm/interp/bif_call.h"
#include "vm/machine/native_table.h"
#include "vm/process/exec.h"

using namespace wb;

namespace {

Term decode_hex(Heap& h, const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return decode_term(h, bytes.data(), bytes.size());
}

// The reason of the error a fault stands for.
Term reason_of(Process& p, Term fault) {
  switch (fault) {
    case kBadarg:
      return am::badarg;
    case kBadarith:
      return am::badarith;
    case kSystemLimit:
      return am::system_limit;
    case kRaised:
      return p.exec->fail_reason;
    default:
      return am::undefined;
  }
}

}  // namespace

TEST_CASE("BIFs answer as OTP does") {
  const char* file = GENERATE("otp25_bifs.tsv", "otp25_binary_bifs.tsv");
  TestFuns funs;
  TestHeap h;
  Process p;
  auto exec = std::make_unique<Exec>();
  p.exec = exec.get();
  exec->p = &p;
  p.heap.init(233);
  std::ifstream in(std::string(WB_SOURCE_DIR "/tests/data/") + file);
  size_t calls = 0;
  for (std::string line; std::getline(in, line); ++calls) {
    std::vector<std::string> f;
    std::istringstream fields(line);
    for (std::string s; std::getline(fields, s, '\t');) f.push_back(s);
    REQUIRE(f.size() == 5);
    std::vector<Term> args;
    for (Term l = decode_hex(h, f[2]); is_cons(l); l = tail(l)) args.push_back(head(l));
    const BifInfo* bif =
        find_native(intern(f[0]), intern(f[1]), static_cast<uint32_t>(args.size()));
    INFO(f[0] << ":" << f[1] << "/" << args.size());
    REQUIRE(bif);
    Term expected = decode_hex(h, f[4]);  // before the call: its atoms exist
    Term result = call_bif(*exec, nullptr, bif->fn, args.data());
    bool ok = is_value(result);
    if (!ok) result = reason_of(p, result);
    if (ok != (f[3] == "ok") || !equal_exact(result, expected)) {
      for (Term arg : args) UNSCOPED_INFO(to_text(arg));
      UNSCOPED_INFO("got " << ok << " " << to_text(result));
      UNSCOPED_INFO("expected " << f[3] << " " << to_text(expected));
      CHECK(false);
    }
  }
  CHECK(calls > 1000);
}
