// Structures read and updated in a small bank.
#include "tests/bench/native/bench.h"

namespace {

struct Account {
  long id, balance = 500, limit = 1000;
  bool open = true;
};

std::string run() {
  std::vector<Account> accounts;
  for (long n = 1; n <= 64; ++n) accounts.push_back({n});
  long moved = 0, failed = 0, x = bench::opaque(1);
  for (int i = 0; i < 400'000; ++i) {
    long next = bench::next_random(x), amount = x & 127;
    Account& from = accounts[static_cast<size_t>(x >> 8 & 63)];
    if (from.open && from.balance + from.limit >= amount) {
      from.balance -= amount;
      accounts[static_cast<size_t>(next >> 8 & 63)].balance += amount;
      ++moved;
    } else {
      ++failed;
    }
    x = next;
  }
  long sum = 0;
  for (const Account& a : accounts) sum += a.balance;
  return bench::tuple(moved, failed, sum);
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
