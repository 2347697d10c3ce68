#include "tools/observer/web_access.h"

#include <sys/random.h>

#include <array>

#include <fmt/format.h>

namespace wb {
namespace {

/// Takes as long whatever differs.
bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned differ = 0;
  for (size_t k = 0; k < a.size(); ++k) differ |= static_cast<unsigned>(a[k] ^ b[k]);
  return differ == 0;
}

}  // namespace

std::string random_token() {
  std::array<unsigned char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string token;
  for (unsigned char b : bytes) token += fmt::format("{:02x}", b);
  return token;
}

WebAccess::WebAccess(std::string token, int port)
    : token_(std::move(token)), port_(std::to_string(port)) {}

bool WebAccess::is_ours(std::string_view host) const {
  size_t colon = host.rfind(':');
  if (colon == host.npos || host.substr(colon + 1) != port_) return false;
  host = host.substr(0, colon);
  return host == "127.0.0.1" || host == "localhost";
}

int WebAccess::refuses(const Request& r) const {
  constexpr std::string_view kScheme = "http://";
  if (!is_ours(r.host)) return 403;
  bool foreign = !r.origin.starts_with(kScheme) || !is_ours(r.origin.substr(kScheme.size()));
  if (!r.origin.empty() && foreign) return 403;
  if (token_.empty() || !is_same(r.token, token_)) return 401;
  return r.method == "GET" ? 0 : 405;
}

}  // namespace wb
