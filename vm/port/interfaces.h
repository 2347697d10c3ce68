// Queries of the machine's network that any socket answers: its name, its interfaces, the numbers
// of services. Answers are the bytes that prim_inet reads.
#pragma once

#include <string>
#include <string_view>

namespace wb {

/// Each returns 0 or errno; `out` is appended to.
int host_name(std::string* out);
int interface_addresses(std::string* out);
int interface_names(std::string* out);
/// `in`: length and bytes of a name, and what is asked for.
int interface_options(int fd, std::string_view in, std::string* out);
/// `in`: length and bytes of a name, and what it is to be. What the system refuses is left as it
/// is, and nobody is told.
int set_interface_options(int fd, std::string_view in);
int service_by_name(std::string_view in, std::string* out);
int service_by_port(std::string_view in, std::string* out);

}  // namespace wb
