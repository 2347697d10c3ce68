// The loaded form of a module as text: what the interpreter runs.
#pragma once

#include <string>
#include <string_view>

#include "loader/code.h"

namespace wb {

class CodeServer;

/// Every function (or those named `function`), an instruction a line, with source lines.
std::string disassemble_loaded(const CodeServer& server, const Module& m,
                               std::string_view function = {});

}  // namespace wb
