// Random sequences of operations, on `erl` and on Whitebeam, and the shortest on which they differ
// (README.md).
//
// `erl` is the model: RapidCheck makes sequences, both machines run them, and their transcripts
// must be equal. The interpreters (model_tables.erl, model_signals.erl) print only what the rules
// of the language settle; should two runs of `erl` differ all the same, any of its answers will do.
#include <rapidcheck.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <unordered_map>

#include "tests/models/grammar.h"
#include "tests/models/machine.h"

namespace {

using whitebeam::models::Choices;
using whitebeam::models::Grammar;
using whitebeam::models::kChoiceLimit;
using whitebeam::models::Machine;

constexpr int kChoices = 16;    // numbers a step is made from
constexpr int kSequences = 60;  // of one seed, growing
constexpr int kErlIsAskedAgain = 5;

struct Options {
  std::string model, grammar, beams, vm;
  std::vector<std::string> flags;
  uint64_t seed = 1;
  int seconds = 30, rounds = 1 << 30, patience = 30;
  std::string only;         // a sequence to run, instead of random ones
  std::string transcripts;  // a file for what erl said
};

struct Difference {
  std::string sequence, erl, whitebeam;
};

std::string text_of(const Grammar& grammar, const std::vector<Choices>& steps) {
  std::string text = "[" + grammar.expand("START", steps.empty() ? Choices{} : steps[0]);
  for (size_t i = 1; i < steps.size(); i++) text += "," + grammar.expand("STEP", steps[i]);
  return text + "].";
}

rc::Gen<std::vector<Choices>> sequences() {
  auto choice = rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, kChoiceLimit));
  return rc::gen::container<std::vector<Choices>>(rc::gen::container<Choices>(kChoices, choice));
}

class Comparison {
 public:
  Comparison(std::vector<std::string> erl, std::vector<std::string> whitebeam,
             const Options& options)
      : erl_(std::move(erl), options.beams + "/" + options.model + ".erl.log", options.patience),
        whitebeam_(std::move(whitebeam), options.beams + "/" + options.model + ".whitebeam.log",
                   options.patience) {
    if (!options.transcripts.empty()) transcripts_.open(options.transcripts);
  }

  // Once it does, time is no limit any more: the sequence is made shorter.
  bool differ() const { return differ_; }

  bool same(const std::string& sequence) {
    auto known = known_.find(sequence);
    if (known != known_.end()) return known->second;
    bool same = ask_both(sequence);
    differ_ |= !same;
    known_.emplace(sequence, same);
    return same;
  }

  long sequences() const { return sequences_; }
  long steps() const { return steps_; }
  long uneven() const { return uneven_; }
  const Difference& last() const { return last_; }
  void next_round() { known_.clear(); }

 private:
  bool ask_both(const std::string& sequence) {
    std::string expected = erl_.run(sequence), got = whitebeam_.run(sequence);
    if (transcripts_.is_open()) transcripts_ << expected << "\n";
    sequences_++;
    steps_ += std::count(expected.begin(), expected.end(), '\n');
    bool same = erl_.running() && (expected == got || erl_says_so_too(sequence, got));
    if (!same) last_ = {sequence, expected, got};
    return same;
  }

  bool erl_says_so_too(const std::string& sequence, const std::string& got) {
    for (int i = 0; i < kErlIsAskedAgain; i++) {
      if (erl_.run(sequence) != got) continue;
      uneven_++;
      return true;
    }
    return false;
  }

  Machine erl_, whitebeam_;
  std::ofstream transcripts_;
  std::unordered_map<std::string, bool> known_;  // shrinking comes to the same text again and again
  bool differ_ = false;
  long sequences_ = 0, steps_ = 0, uneven_ = 0;
  Difference last_;
};

void print_side_by_side(const Difference& difference) {
  std::istringstream erl(difference.erl), whitebeam(difference.whitebeam);
  for (;;) {
    std::string a, b;
    bool more_a = static_cast<bool>(std::getline(erl, a)),
         more_b = static_cast<bool>(std::getline(whitebeam, b));
    if (!more_a && !more_b) return;
    if (more_a && more_b && a == b) {
      std::cout << "  " << a << "\n";
    } else {
      if (more_a) std::cout << "- " << a << "    <- erl\n";
      if (more_b) std::cout << "+ " << b << "    <- whitebeam\n";
    }
  }
}

void report(const Difference& difference, const Options& options, uint64_t seed) {
  std::cout << "DIFFERENT, seed " << seed << ", after shrinking:\n";
  print_side_by_side(difference);
  std::cout << "the sequence:\n  " << difference.sequence
            << "\nto repeat:\n  tests/models/run --vm " << options.vm << " --seed " << seed
            << " --rounds 1";
  for (const auto& flag : options.flags) std::cout << " --flag " << flag;
  std::cout << " " << options.model << "\n";
}

class Silent : public rc::detail::TestListener {
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

// Sixty sequences of one seed, the first short, the last with up to a hundred steps.
bool round_of(const Grammar& grammar, Comparison& comparison, uint64_t seed,
              std::chrono::steady_clock::time_point end) {
  rc::detail::TestParams params;
  params.seed = seed;
  params.maxSuccess = kSequences;
  auto property = [&] {
    const auto steps = *sequences();
    if (std::chrono::steady_clock::now() > end && !comparison.differ()) return;
    if (!comparison.same(text_of(grammar, steps))) RC_FAIL("transcripts differ");
  };
  Silent silent;
  auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params, silent);
  comparison.next_round();
  return result.template is<rc::detail::SuccessResult>();
}

int run(const Options& options) {
  auto grammar = Grammar::read(options.grammar);
  if (!grammar) return 2;
  std::vector<std::string> erl{"erl",          "-noshell", "-pa",  options.beams, "-kernel",
                               "logger_level", "none",     "-run", options.model, "main"};
  std::vector<std::string> whitebeam{options.vm, "run", "-pa", options.beams};
  whitebeam.insert(whitebeam.end(), options.flags.begin(), options.flags.end());
  whitebeam.push_back(options.beams + "/" + options.model + ".beam");
  Comparison comparison(erl, whitebeam, options);
  if (!options.only.empty()) {
    if (comparison.same(options.only)) return 0;
    report(comparison.last(), options, options.seed);
    return 1;
  }
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  int rounds = 0;
  for (; rounds < options.rounds && std::chrono::steady_clock::now() < end; rounds++) {
    if (round_of(*grammar, comparison, options.seed + static_cast<uint64_t>(rounds), end)) continue;
    report(comparison.last(), options, options.seed + static_cast<uint64_t>(rounds));
    return 1;
  }
  std::cout << options.model << ": " << comparison.sequences() << " sequences, "
            << comparison.steps() << " lines, seeds " << options.seed << " to "
            << options.seed + static_cast<uint64_t>(rounds) - 1 << ": no difference ("
            << comparison.uneven() << " on which erl's own answers vary)\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::map<std::string, std::string*> texts{
      {"--model", &options.model}, {"--grammar", &options.grammar},
      {"--beams", &options.beams}, {"--vm", &options.vm},
      {"--only", &options.only},   {"--transcripts", &options.transcripts}};
  std::map<std::string, int*> numbers{{"--seconds", &options.seconds},
                                      {"--rounds", &options.rounds},
                                      {"--patience", &options.patience}};
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string name = argv[i], value = argv[i + 1];
    if (texts.count(name)) {
      *texts[name] = value;
    } else if (numbers.count(name)) {
      *numbers[name] = std::stoi(value);
    } else if (name == "--seed") {
      options.seed = std::stoull(value);
    } else if (name == "--flag") {
      options.flags.push_back(value);
    } else {
      std::cerr << "models: unknown option " << name << "\n";
      return 2;
    }
  }
  return run(options);
}
