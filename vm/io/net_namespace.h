// Other networks than the machine's own (setns(2)): a thread looks into one and comes back.
#pragma once

#include <string>

namespace wb {

/// While it lives its thread sees the network of the file `name` (/proc/PID/ns/net and the like).
class NetNamespaceScope {
 public:
  explicit NetNamespaceScope(const std::string& name);
  ~NetNamespaceScope();
  NetNamespaceScope(const NetNamespaceScope&) = delete;
  /// errno: why the thread is where it was; 0: it is there.
  int error() const { return error_; }

 private:
  int own_ = -1, error_ = 0;
};

}  // namespace wb
