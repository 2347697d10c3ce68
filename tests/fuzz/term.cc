// libFuzzer: any bytes, taken for a term in external format. What decodes must encode again to a
// term that is equal to it, print, hash and copy without a crash.
#include <vector>

#include "gc/fragment.h"
#include "term/external.h"
#include "term/hash.h"
#include "term/order.h"
#include "term/print.h"
#include "vm/machine/machine.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Machine vm{VmOptions{}};  // funs need somebody who knows code
  static InstanceScope scope(vm.instance);
  FragmentHeap heap(256);
  DecodeOptions options;
  options.safe = true;  // the atom table is not what is looked at: it would only fill up
  size_t used = 0;
  Term t = decode_term(heap, data, size, options, &used);
  if (is_fault(t)) return 0;
  WB_CHECK(used <= size);
  std::vector<uint8_t> bytes;
  encode_term(t, {}, &bytes);
  FragmentHeap again_heap(256);
  Term again = decode_term(again_heap, bytes.data(), bytes.size());
  WB_CHECK(!is_fault(again));
  WB_CHECK(equal_exact(t, again));
  (void)phash2(t);
  (void)to_text(t);
  return 0;
}
