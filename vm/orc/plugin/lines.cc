#include "vm/orc/plugin/lines.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

namespace wb {

using namespace llvm;

ObjectLines read_lines(MemoryBufferRef object) {
  ObjectLines lines;
  auto file = object::ObjectFile::createObjectFile(object);
  if (!file) {
    consumeError(file.takeError());
    return lines;
  }
  for (const object::SymbolRef& symbol : (*file)->symbols()) {
    Expected<StringRef> name = symbol.getName();
    Expected<uint64_t> address = symbol.getAddress();
    if (name && address && !name->empty()) lines.symbols[name->str()] = *address;
    if (!name) consumeError(name.takeError());
    if (!address) consumeError(address.takeError());
  }
  auto ignore = [](Error e) { consumeError(std::move(e)); };
  std::unique_ptr<DWARFContext> dwarf = DWARFContext::create(
      **file, DWARFContext::ProcessDebugRelocations::Process, nullptr, "", ignore, ignore);
  for (const std::unique_ptr<DWARFUnit>& unit : dwarf->compile_units()) {
    const DWARFDebugLine::LineTable* table = dwarf->getLineTableForUnit(unit.get());
    if (!table) continue;
    // All code is one section, so one sequence, which ascends.
    for (const DWARFDebugLine::Row& row : table->Rows) {
      lines.rows.push_back({row.Address.Address, row.EndSequence ? 0 : row.Line});
    }
  }
  return lines;
}

}  // namespace wb
