#include "vm/nif/recorded_random.h"

#include <dlfcn.h>
#include <sys/random.h>

#include <cerrno>
#include <cstddef>

#include "base/recording.h"

namespace wb {
namespace {

/// RAND_METHOD of openssl/rand.h.
struct RandomMethod {
  int (*seed)(const void* bytes, int n);
  int (*bytes)(unsigned char* bytes, int n);
  void (*cleanup)();
  int (*add)(const void* bytes, int n, double entropy);
  int (*pseudorand)(unsigned char* bytes, int n);
  int (*status)();
};

/// 1: done.
int random_bytes(unsigned char* bytes, int n) {
  constexpr size_t kAtOnce = 256;  // so much is never cut short
  for (auto left = static_cast<size_t>(n < 0 ? 0 : n); left > 0;) {
    const size_t part = left < kAtOnce ? left : kAtOnce;
    const ssize_t got = reading_call([=] { return getrandom(bytes, part, 0); }, bytes, part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    bytes += got, left -= static_cast<size_t>(got);
  }
  return n >= 0;
}

constexpr RandomMethod kRecorded = {
    [](const void*, int) { return 1; },         random_bytes, [] {},
    [](const void*, int, double) { return 1; }, random_bytes, [] { return 1; }};

}  // namespace

void record_random_numbers() {
  void* const library = dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  using Set = int (*)(const RandomMethod*);
  if (auto set = reinterpret_cast<Set>(dlsym(library, "RAND_set_rand_method"))) set(&kRecorded);
  dlclose(library);
}

}  // namespace wb
