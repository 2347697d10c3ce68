#include "tests/models/grammar.h"

#include <cctype>
#include <fstream>
#include <iostream>

namespace whitebeam::models {

namespace {

// Cuts a text into names of rules (said as such) and what is between them.
template <typename OnText, typename OnName>
void for_each_piece(const std::string& text, OnText on_text, OnName on_name) {
  auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t i = 0; i < text.size();) {
    size_t start = i;
    if (text[i] == '\'' || text[i] == '"') {
      i = text.find(text[i], i + 1);
      i = i == std::string::npos ? text.size() : i + 1;
      on_text(text.substr(start, i - start));
    } else if (in_word(text[i])) {
      while (i < text.size() && in_word(text[i])) i++;
      std::string word = text.substr(start, i - start);
      if (std::isupper(static_cast<unsigned char>(word[0]))) {
        on_name(word);
      } else {
        on_text(word);
      }
    } else {
      on_text(std::string(1, text[i++]));
    }
  }
}

}  // namespace

std::optional<Grammar> Grammar::read(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    std::cerr << path << ": cannot be read\n";
    return std::nullopt;
  }
  Grammar grammar;
  Rule* rule = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '%') continue;
    if (line[0] != ' ') {
      rule = &grammar.rules_[line.substr(0, line.find(':'))];
      continue;
    }
    size_t end = 0;
    int weight = std::stoi(line, &end);
    rule->alternatives.push_back({weight, line.substr(end + 1)});
    rule->weights += weight;
  }
  if (!grammar.complete()) return std::nullopt;
  return grammar;
}

bool Grammar::complete() const {
  bool complete = true;
  for (const auto& [name, rule] : rules_) {
    for (const auto& alternative : rule.alternatives) {
      for_each_piece(
          alternative.text, [](const std::string&) {},
          [&](const std::string& used) {
            if (rules_.count(used)) return;
            std::cerr << "rule " << name << " names " << used << ", which is not there\n";
            complete = false;
          });
    }
  }
  return complete;
}

std::string Grammar::expand(const std::string& rule, const Choices& choices) const {
  std::string out;
  size_t used = 0;
  expand_rule(rules_.at(rule), choices, used, out);
  return out;
}

void Grammar::expand_rule(const Rule& rule, const Choices& choices, size_t& used,
                          std::string& out) const {
  int choice = 0;
  if (rule.alternatives.size() > 1 && used < choices.size())
    choice = choices[used++] % rule.weights;
  const Alternative* chosen = rule.alternatives.data();
  while (choice >= chosen->weight) choice -= (chosen++)->weight;
  for_each_piece(
      chosen->text, [&](const std::string& text) { out += text; },
      [&](const std::string& name) { expand_rule(rules_.at(name), choices, used, out); });
}

}  // namespace whitebeam::models
