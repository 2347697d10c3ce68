// Sequences of operations from a grammar. A step is a handful of small numbers; expanding the
// grammar turns them into the text of an Erlang term. That is what makes them shrink: RapidCheck
// leaves steps out and makes numbers smaller, and 0 is always the first alternative of a rule, its
// plainest.
//
//   RULE:                     a rule's name is in capitals; its alternatives follow, one a line
//     3 {WHO,send,DEST}       with a weight in front; other rules' names in it are expanded from
//     the left 1 {WHO,'EXIT'}          but nothing between quotes
//
// The first alternative of a rule must not lead back to it: numbers that are missing count as 0.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace whitebeam::models {

using Choices = std::vector<int>;

inline constexpr int kChoiceLimit = 5040;  // divisible by most sums of weights

class Grammar {
 public:
  // Nothing, and a complaint on standard error, when the file cannot be read or names a rule that
  // is not there.
  static std::optional<Grammar> read(const std::string& path);

  std::string expand(const std::string& rule, const Choices& choices) const;

 private:
  struct Alternative {
    int weight;
    std::string text;
  };
  struct Rule {
    int weights = 0;
    std::vector<Alternative> alternatives;
  };

  bool complete() const;
  void expand_rule(const Rule& rule, const Choices& choices, size_t& used, std::string& out) const;

  std::map<std::string, Rule> rules_;
};

}  // namespace whitebeam::models
