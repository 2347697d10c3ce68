// Tags of the external term format. All are read, and these are written: the newest of pids, ports,
// references and funs (88, 89 or 120, 90, 112, 113); atoms of Latin-1 as 100, others as 119, or 118
// from 256 bytes on, all so with minor version 2; floats as 70, as 99 with minor version 0; proper
// lists of 1 to 65535 bytes as 107.
#pragma once

#include <cstdint>

namespace wb::external_tag {

enum : uint8_t {
  kVersion = 131,
  kRecord = 67,
  kNewFloat = 70,
  kBitBinary = 77,
  kCompressed = 80,
  kAtomCacheRef = 82,  ///< in messages of the distribution only (external_dist.h)
  kNewPid = 88,
  kNewPort = 89,
  kNewerReference = 90,
  kSmallInteger = 97,
  kInteger = 98,
  kFloat = 99,
  kAtom = 100,
  kReference = 101,
  kPort = 102,
  kPid = 103,
  kSmallTuple = 104,
  kLargeTuple = 105,
  kEmptyList = 106,
  kString = 107,
  kList = 108,
  kBinary = 109,
  kSmallBig = 110,
  kLargeBig = 111,
  kNewFun = 112,
  kExport = 113,
  kNewReference = 114,
  kSmallAtom = 115,
  kMap = 116,
  kUtf8Atom = 118,
  kSmallUtf8Atom = 119,
  kV4Port = 120,
};

constexpr uint32_t kMaxTuple = 16777215;
constexpr uint32_t kMaxString = 65535;

}  // namespace wb::external_tag
