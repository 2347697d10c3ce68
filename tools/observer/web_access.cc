#include "tools/observer/web_access.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

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

std::string token_from_file(const std::string& path, std::string* error) {
  struct stat file;
  std::ifstream in(path);
  std::string token;
  if (!in || stat(path.c_str(), &file) != 0) {
    *error = fmt::format("{}: {}", path, strerror(errno));
  } else if (!S_ISREG(file.st_mode) || file.st_uid != getuid() || file.st_mode & 077) {
    *error = fmt::format("{}: must be a file of yours that nobody else can read (mode 0600)", path);
  } else if (!getline(in, token) || token.size() < 16 || token.size() > 63 ||
             !std::ranges::all_of(
                 token, [](unsigned char c) { return isalnum(c) || c == '-' || c == '_'; })) {
    *error = fmt::format("{}: a token is 16 to 63 letters, digits, - or _", path);
  } else {
    return token;
  }
  return {};
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
