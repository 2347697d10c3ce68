// libFuzzer: any bytes, taken for a request of the observer protocol. Each is answered by a frame.
#include "vm/machine/machine.h"
#include "vm/observe/observer.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Machine vm{VmOptions{}};  // not started: nothing runs, everything can be asked
  static InstanceScope scope(vm.instance);
  static Observer observer(vm, "fuzz", true);
  static ObserverConnection connection;
  connection.out.clear();
  observer.answer_request(connection, {reinterpret_cast<const char*>(data), size});
  WB_CHECK(connection.out.size() > 4 && connection.out.back() == '}');
  return 0;
}
