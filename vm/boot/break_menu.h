// What a booted machine does at ^C and when it is continued, on the thread of signals.
//
// No process runs while the menu is on the screen (vm/process/standstill.h), standard input is the
// menu's, and the terminal is in the mode in which it was found. A process that a native function
// holds for longer than kPatience is left running, and only its first lines are shown.
#pragma once

namespace wb {

class Vm;

/// Until the user has decided.
void break_menu(Vm& vm);

/// +Bc: ^C of the terminal is a key like others from now on, which OTP's shell understands.
void leave_break_key(Vm& vm);

/// After SIGCONT: whoever had the terminal meanwhile may have left it in another mode.
void continued(Vm& vm);

}  // namespace wb
