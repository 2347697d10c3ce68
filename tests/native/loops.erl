%% Loops, and what each compiler makes of them.
-module(loops).
-export([count/2, sum/2, area/2]).

%% A loop goes back to its own code, without passing the function's first word.
%% RUN: count/2 --native: COUNT
%% COUNT:      is_integer x0
%% COUNT-NEXT: [[ENTRY:[0-9a-f]+]] test $0xf,%sil
%% COUNT:      sub x0 1 x1
%% COUNT:      sub $0x10,%rax
%% COUNT-NEXT: jo
%% COUNT:      call_only
%% COUNT-NEXT: dec %rdi
%% COUNT-NEXT: jns 0x[[ENTRY]]
%% COUNT:      return_
%% COUNT:      jmp *%rax

%% LLVM finds that what is above 0 does not overflow, and that nothing need be in memory.
%% RUN: count/2 --ir: COUNT-IR
%% COUNT-IR:      ; ModuleID
%% COUNT-IR:      ssub.with.overflow
%% COUNT-IR:      ; ModuleID
%% COUNT-IR:      [[LOOP:[0-9]+]]: {{ *}}; preds = %[[STEP:[0-9]+]], %8
%% COUNT-IR-NOT:  {{with.overflow|store}}
%% COUNT-IR:      [[STEP]]:
%% COUNT-IR-NEXT: add nsw i64 %{{[0-9]+}}, -16
%% COUNT-IR-NEXT: add nsw i64 %{{[0-9]+}}, -1
%% COUNT-IR-NEXT: icmp slt
%% COUNT-IR-NEXT: label %[[LOOP]]
count(N, _) when is_integer(N), N > 0 -> count(N - 1, N);
count(_, X) -> X.

%% A list is taken apart by two loads; adding has one check for both operands.
%% RUN: sum/2 --native: SUM
%% SUM:      is_nonempty_list x0
%% SUM-NEXT: [[ENTRY:[0-9a-f]+]] mov %esi,%eax
%% SUM-NEXT: and $0x3,%eax
%% SUM-NEXT: cmp $0x1,%eax
%% SUM-NEXT: jne
%% SUM-NEXT: get_list x0 x2 x0
%% SUM-NEXT: mov -0x1(%rsi),%rcx
%% SUM-NEXT: mov 0x7(%rsi),%rsi
%% SUM-NEXT: add x1 x2 x1
%% SUM:      or %edx,%eax
%% SUM-NEXT: test $0xf,%al
%% SUM-NEXT: jne
%% SUM:      jo
%% SUM:      call_only
%% SUM-NEXT: dec %rdi
%% SUM-NEXT: jns 0x[[ENTRY]]

%% What LLVM makes of it leaves the loop for the interpreter only where the sum is no small integer, and
%% two floats are added in line.
%% RUN: sum/2 --ir: SUM-IR
%% SUM-IR:     ; ModuleID
%% SUM-IR:     ; ModuleID
%% SUM-IR:     [[LOOP:[0-9]+]]: {{ *}}; preds = %[[STEP:[0-9]+]], %8
%% SUM-IR:     fadd double
%% SUM-IR:     sadd.with.overflow
%% SUM-IR:     [[STEP]]:
%% SUM-IR:     label %[[LOOP]]
%% SUM-IR:     musttail call preserve_nonecc void @h
sum([H | T], Acc) -> sum(T, Acc + H);
sum([], Acc) -> Acc.

%% A float goes around the loop as a double: none is made on the heap in it.
%% RUN: area/2 --ir: AREA-IR
%% AREA-IR:     ; ModuleID
%% AREA-IR:     ; ModuleID
%% AREA-IR:     phi double
%% AREA-IR-NOT: store i64 284
%% AREA-IR:     fadd double
area(N, A) when is_integer(N), N > 0, is_float(A) -> area(N - 1, A + 0.5);
area(_, A) -> A.
