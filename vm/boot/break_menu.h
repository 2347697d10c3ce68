// What a booted machine does at ^C and when it is continued, on the thread of signals.
//
// BEAM stops all processes while its break menu is on the screen. Here they go on: only standard
// input is the menu's, and the terminal is in the mode in which it was found. What the menu cannot
// show, because it would need a machine that stands still, `whitebeam observe` does.
#pragma once

namespace wb {

class Vm;

/// Until the user has decided.
void break_menu(Vm& vm);

/// After SIGCONT: whoever had the terminal meanwhile may have left it in another mode.
void continued(Vm& vm);

}  // namespace wb
