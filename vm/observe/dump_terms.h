// Terms as OTP's crash dumps have them: small ones where they stand, larger ones as the address at
// which they are, and a line for each address. An object that is shared is written once; nothing
// recurses, however deep a term is.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "term/term.h"

namespace wb {

class DumpFile;
struct Binary;

std::string base64(const uint8_t* bytes, size_t n);

class DumpTerms {
 public:
  explicit DumpTerms(DumpFile& out) : out_(out) {}

  /// `t` where it stands. What it points to is written by the next write_heap, or write_literals.
  std::string shown(Term t);
  /// Lines for what was pointed to since the last time: what the section of one process consists
  /// of.
  void write_heap();
  void write_literals();
  /// Sections of the binaries outside of heaps that all of it refers to.
  void write_binaries();

 private:
  void write_objects(std::vector<Term>& list);
  std::string object(Term t);
  std::string boxed(Term t);
  std::string bytes_of(Term t);
  std::string elements(const Term* e, size_t n);
  std::string encoded(Term t);

  DumpFile& out_;
  std::unordered_set<const void*> seen_;
  std::vector<Term> heap_, literals_;  ///< to be written
  std::vector<const Binary*> binaries_;
};

}  // namespace wb
