// What a user has chosen and is kept between runs: a small file of lines below XDG_CONFIG_HOME.
//
//   columns NAME ...    of the table of processes, by the names that orders and filters have
//   mouse on|off
//
// A file in which anything else stands is ignored as a whole, and one line says so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wb {

struct ObserverSettings {
  std::vector<std::string> columns;  ///< empty: as many as have room
  bool mouse = true;
  std::string path;     ///< empty: there is no place for it
  std::string trouble;  ///< why the file is ignored

  bool shows(std::string_view column) const;
  /// Empty, or what is wrong with the text.
  std::string parse(std::string_view text);
  std::string text() const;
  /// Empty, or why not.
  std::string save() const;
  static ObserverSettings load();
};

}  // namespace wb
