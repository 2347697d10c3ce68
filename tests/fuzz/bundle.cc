// libFuzzer: any bytes, taken for what a program of `whitebeam build` unpacks itself from. Entries
// lie within them, and no name leads out of the directory.
#include "tools/bundle.h"

#include <filesystem>

#include "base/base.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<BundleEntry> entries;
  if (!read_entries({data, size}, &entries)) return 0;
  size_t all = 0;
  for (const BundleEntry& entry : entries) {
    all += 16 + entry.name.size() + entry.data.size();
    const std::filesystem::path path = std::filesystem::path("/into") / entry.name;
    WB_CHECK(path.lexically_normal() == path && path.string().starts_with("/into/"));
    WB_CHECK(entry.data.empty() || (entry.data.data() > data && entry.data.data() < data + size));
  }
  WB_CHECK(all == size);
  return 0;
}
