#include "vm/io/net_namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>

#include "base/base.h"

namespace wb {

NetNamespaceScope::NetNamespaceScope(const std::string& name) {
  own_ = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  const int other = own_ < 0 ? -1 : open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (other < 0 || setns(other, CLONE_NEWNET) != 0) error_ = errno;
  if (other >= 0) close(other);
}
NetNamespaceScope::~NetNamespaceScope() {
  if (own_ < 0) return;
  if (!error_) WB_CHECK(setns(own_, CLONE_NEWNET) == 0);
  close(own_);
}

}  // namespace wb
