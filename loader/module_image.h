// A module as the emitter left it, as bytes that another run of the same build makes code of: no
// parsing, no validation, no emitting.
//
// The code's words stand there as they are, but for those that depend on the run, which hold an
// index and are listed by kind (relocations.def). Linking interns the atoms, finds or makes the
// exports and funs, decodes the literals, and writes those words. Lists of cases that are searched
// by value are put in the order of this run's atoms.
//
// The emitter and the validator ask the code table what the machine has natively. An image says
// what they were answered, and is no longer good where the answer is another.
//
// Images are not proven harmless again: who hands one to link_image() answers for where it comes
// from (module_images.h). All the same no count and no index in it is believed: one that does not
// fit is no image.
//
// Rejected: a mapped file that is used in place (code is written to: layers of code_words.h, call
// counts); images of several modules in one file (a boot reads different ones than a program does,
// and one that is damaged would take the others with it).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "loader/relocations.h"

namespace wb {

/// Of what emit_module() has returned, before anything else was done to it.
std::vector<uint8_t> write_image(const Module& m, const BeamFile& file, Relocations r);

/// nullptr: it is no image, or not one for this machine. Under CodeTable::lock_loading.
std::unique_ptr<Module> link_image(CodeTable& table, std::span<const uint8_t> image);

}  // namespace wb
