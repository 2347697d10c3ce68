// Who may have the page. It listens on loopback only, but every user of the machine and every page
// of every browser on it reaches loopback, so each request must show three things:
//
//   Host     ours, by address: a foreign name that resolves to 127.0.0.1 (DNS rebinding) is refused
//   Origin   ours or none: other pages' scripts cannot speak with us, not even by WebSocket
//   token    128 random bits, which only the terminal that started us has seen, or what stands in a
//            file that nobody else can read
#pragma once

#include <string>
#include <string_view>

namespace wb {

/// 32 hexadecimal digits of the system's randomness; empty if there is none.
std::string random_token();
/// The first line of a file: 16 to 63 letters, digits, `-` or `_`, and no other user may read it.
/// Empty: there is none, and why in *error.
std::string token_from_file(const std::string& path, std::string* error);

class WebAccess {
 public:
  WebAccess(std::string token, int port);

  /// What a request shows of itself; "" where it has no such header.
  struct Request {
    std::string_view method, host, origin, token;
  };
  /// 0: welcome; else the HTTP status that refuses it.
  int refuses(const Request& request) const;

 private:
  bool is_ours(std::string_view host) const;
  const std::string token_, port_;
};

}  // namespace wb
