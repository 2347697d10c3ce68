// A directory that looks like OTP's root, whose emulator is this program.
//
// `whitebeam install DIR` makes it: links to all that an installed OTP has, but for bin/erl,
// erts-*/bin/erl (scripts that find the directory by themselves, wherever it is copied to) and
// erts-*/bin/beam.smp (a link to us). The preloaded modules are copies below erts-*/bin, beside a
// link to our compiler: a release which includes its erts copies that directory, and nothing else
// of erts (systools, mix, relx). Tools of OTP that look for `erl` beside themselves, and releases
// that look for beam.smp below their root, find ours; what they start they start the same way.
//
// `whitebeam erl --otp DIR` makes one in the user's cache, and again when that OTP or this program
// has become another.
//
// Rejected: scripts in PATH that set ROOTDIR to OTP's own root: erlexec puts that root's bin/ first
// in PATH, and the next `erl` that a program starts would be another emulator.
#pragma once

#include <filesystem>
#include <string>

namespace wb {

constexpr const char* kPlugin = "libwhitebeam-jit.so";
/// Its first bytes, beside a program that brings code made by it, but not itself
/// (vm/orc/kept_code.h).
constexpr const char* kPluginId = "libwhitebeam-jit.id";
/// This program, and the plugin that was built or installed with it; empty: there is none.
std::filesystem::path own_binary();
std::filesystem::path own_plugin();

/// Makes or renews `directory` for the OTP whose root is `otp`. False: `*error` says why not.
bool make_otp_root(const std::string& directory, const std::string& otp, std::string* error);

/// The one that was installed with this program or made by its build; empty: there is none.
std::string own_otp_root();

/// The one in the user's cache for `otp`, made if it is not there; empty: `*error` says why not.
std::string cached_otp_root(const std::string& otp, std::string* error);
/// That of `otp`, or if it is empty the program's own, or the one in the cache for the OTP that is
/// found. Empty: `*error` says why there is none.
std::string usable_otp_root(const std::string& otp, std::string* error);
/// Is `root` made of `otp`: does it have its libraries?
bool is_root_of(const std::string& root, const std::string& otp);

/// "erts-13.1.5", in a root; empty if there is none that is supported.
std::string erts_directory(const std::string& root);

}  // namespace wb
