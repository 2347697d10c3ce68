#include "term/atom.h"
#include "term/dist_atoms.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace wb;

TEST_CASE("atoms of each table have the texts that their headers say", "[atom]") {
  CHECK(atom_text(am::ok) == "ok");
  CHECK(atom_text(am::acc_fails) == "acc_fails");
  CHECK(atom_text(am::abandoned) == "abandoned");
  CHECK(atom_text(am::nodeup) == "nodeup");
}

TEST_CASE("atoms named in C++ have their fixed index") {
  CHECK(intern("ok") == am::ok);
  CHECK(intern("") == am::empty);
  CHECK(atom_text(am::nonode_at_nohost) == "nonode@nohost");
  CHECK(find_atom("false") == am::false_);
}

TEST_CASE("atoms are found again, and only if made") {
  CHECK(find_atom("never_made_before") == kNone);
  Term t = intern("made_here");
  CHECK(is_atom(t));
  CHECK(find_atom("made_here") == t);
  CHECK(intern(std::string("made_") + "here") == t);
}

TEST_CASE("atoms count characters, not bytes") {
  Term latin = intern("\xc3\xa5");
  Term greek = intern(
      "\xce\xb1"
      "b");
  CHECK(atom_chars(latin) == 1);
  CHECK(atom_is_latin1(latin));
  CHECK(atom_chars(greek) == 2);
  CHECK_FALSE(atom_is_latin1(greek));
  CHECK(atom_hash(latin) == 0xe5);
  CHECK(atom_hash(greek) == 55666);
}

TEST_CASE("atoms are ordered by text") {
  const char* sorted[] = {"",   "A", "a",        "aa",       "aaaaaaaa",        "aaaaaaaab",
                          "ab", "b", "\xc3\xa5", "\xce\xb1", "\xf0\x9f\x98\x80"};
  for (const char* x : sorted)
    for (const char* y : sorted) {
      int expected = strcmp(x, y), got = compare_atoms(intern(x), intern(y));
      CHECK((expected < 0) == (got < 0));
      CHECK((expected == 0) == (got == 0));
    }
}

TEST_CASE("atoms before another one") {
  const char* sorted[] = {"", "A", "aaaaaaaa", "aaaaaaaab", "aaaaaaaac", "aaaaaaaad", "b"};
  constexpr size_t kAll = std::size(sorted);
  for (size_t left_out = 0; left_out < kAll; ++left_out) {
    std::vector<Term> others;
    for (size_t i = 0; i < kAll; ++i) {
      if (i != left_out) others.push_back(intern(sorted[i]));
    }
    CHECK(atoms_before(others.data(), others.size(), intern(sorted[left_out])) == left_out);
  }
  CHECK(atoms_before(nullptr, 0, am::ok) == 0);
}

TEST_CASE("the atom limit is an error, not a crash") {
  uint32_t before = atom_limit();
  set_atom_limit(0);  // no less than what exists
  CHECK(atom_limit() == atom_count());
  CHECK(intern("one_too_many") == kSystemLimit);
  CHECK(intern("ok") == am::ok);
  set_atom_limit(before);
  CHECK(is_atom(intern("one_too_many")));
}

TEST_CASE("threads that intern the same texts agree, while the table grows") {
  constexpr int kThreads = 4, kAtoms = 20000;
  std::vector<std::vector<Term>> got(kThreads, std::vector<Term>(kAtoms));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&got, t] {
      for (int i = 0; i < kAtoms; ++i) got[t][i] = intern("race_" + std::to_string(i));
    });
  for (auto& t : threads) t.join();
  for (int t = 1; t < kThreads; ++t) CHECK(got[t] == got[0]);
  int wrong = 0;
  for (int i = 0; i < kAtoms; ++i) wrong += atom_text(got[0][i]) != "race_" + std::to_string(i);
  CHECK(wrong == 0);
}
