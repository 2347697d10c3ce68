// Gives the compiler's assembly of a handler the shape of a stencil:
//
//     jl .L1 ... .L1: jmp hole       becomes   jl hole
//     jge wb_next; jmp hole          becomes   jl hole; jmp wb_next
//
// so that cold exits cost nothing in line, and `jmp wb_next`, where it is last, can be dropped when
// the next stencil follows.  Usage: shape_assembly IN.s OUT.s
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

using Lines = std::vector<std::string>;

std::string trimmed(const std::string& line) {
  size_t from = line.find_first_not_of(" \t");
  if (from == std::string::npos || line[from] == '#') return "";
  size_t to = line.find('#', from);
  std::string s = line.substr(from, to == std::string::npos ? to : to - from);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.pop_back();
  return s;
}
struct Code {
  std::string op, target;  // of an instruction with one operand, else both empty
};
Code code_of(const std::string& line) {
  std::string s = trimmed(line);
  size_t gap = s.find_first_of(" \t");
  if (s.empty() || gap == std::string::npos) return {};
  return {s.substr(0, gap), s.substr(s.find_first_not_of(" \t", gap))};
}
bool is_hole(const std::string& target) { return target.rfind("wb_", 0) == 0; }
bool is_label(const std::string& line) { return line.rfind(".LBB", 0) == 0; }
bool is_conditional(const std::string& op) {
  return op.size() > 1 && op[0] == 'j' && op.rfind("jmp", 0) != 0;
}
bool ends_block(const std::string& op) { return op.rfind("jmp", 0) == 0; }
std::string opposite(const std::string& op) {
  std::string condition = op.substr(1);
  return condition[0] == 'n' ? "j" + condition.substr(1) : "jn" + condition;
}
std::string jump(const std::string& op, const std::string& target) {
  return "\t" + op + "\t" + target;
}

/// Jumps to a block that only jumps on to a hole go there directly.
void thread_jumps(Lines& f) {
  std::map<std::string, std::string> hole_of;
  for (size_t k = 0; k + 1 < f.size(); ++k) {
    if (!is_label(f[k])) continue;
    Code next = code_of(f[k + 1]);
    if (next.op == "jmp" && is_hole(next.target))
      hole_of[f[k].substr(0, f[k].find(':'))] = next.target;
  }
  for (std::string& line : f) {
    Code c = code_of(line);
    if (c.op.empty() || c.op[0] != 'j') continue;
    if (auto it = hole_of.find(c.target); it != hole_of.end()) line = jump(c.op, it->second);
  }
  // What nobody jumps to any more and nobody falls into.
  for (auto& [label, hole] : hole_of) {
    size_t at = f.size(), uses = 0;
    for (size_t k = 0; k < f.size(); ++k) {
      if (is_label(f[k]) && f[k].substr(0, f[k].find(':')) == label)
        at = k;
      else if (code_of(f[k]).target == label)
        ++uses;
    }
    if (uses || at == f.size() || at == 0) continue;
    if (ends_block(code_of(f[at - 1]).op))
      f.erase(f.begin() + at, f.begin() + at + 2);
    else
      f.erase(f.begin() + at);
  }
}

/// `jcc wb_next` before a last `jmp hole` is turned round.
void fall_into_next(Lines& f) {
  for (size_t k = 0; k + 1 < f.size(); ++k) {
    Code a = code_of(f[k]), b = code_of(f[k + 1]);
    if (!is_conditional(a.op) || a.target != "wb_next" || b.op != "jmp" || !is_hole(b.target))
      continue;
    f[k] = jump(opposite(a.op), b.target);
    f[k + 1] = jump("jmp", "wb_next");
  }
}

Lines shaped(const Lines& function) {
  Lines f;
  for (const std::string& line : function) {
    if (is_label(line) || !trimmed(line).empty()) f.push_back(line);
  }
  thread_jumps(f);
  fall_into_next(f);
  return f;
}

}  // namespace

int main(int count, char** args) {
  if (count != 3) return fprintf(stderr, "usage: shape_assembly IN.s OUT.s\n"), 2;
  std::ifstream in(args[1]);
  std::ofstream out(args[2]);
  Lines function;
  std::string label;  // of the next function
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (inside && line.rfind(".Lfunc_end", 0) == 0) {
      for (const std::string& s : shaped(function)) out << s << '\n';
      function.clear();
      inside = false;
    }
    if (inside)
      function.push_back(line);
    else
      out << line << '\n';
    if (Code c = code_of(line); c.op == ".type" && c.target.ends_with(",@function"))
      label = c.target.substr(0, c.target.find(',')) + ":";
    if (!label.empty() && line.starts_with(label)) inside = true;
  }
  return in.bad() || !out.flush() ? 1 : 0;
}
