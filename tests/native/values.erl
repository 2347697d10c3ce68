%% Values: how they are looked at, taken apart and made.
-module(values).
-export([swap/1, get/1, first/1, tag/1, call/1]).

%% A tuple is made where the heap ends, and its address is the result.
%% RUN: swap/1 --native: SWAP
%% SWAP:      test_heap 3 1
%% SWAP:      cmp $0x28,%rax
%% SWAP-NEXT: jl
%% SWAP:      put_tuple x0 2
%% SWAP-NEXT: movq $0x{{[0-9a-f]+}},(%r14)
%% SWAP-NEXT: mov %{{[a-z]+}},0x8(%r14)
%% SWAP-NEXT: mov %{{[a-z]+}},0x10(%r14)
%% SWAP-NEXT: mov %r14,%rsi
%% SWAP-NEXT: lea 0x18(%r14),%r14
%% SWAP-NEXT: or $0x2,%rsi
%% SWAP-NEXT: return_
swap({A, B}) -> {B, A}.

%% A key that is known has its hash in the code; nothing is called.
%% RUN: get/1 --native: GET
%% GET:     is_map x0
%% GET:     get_map_element x0 key x0
%% GET-NOT: call
%% GET:     return_
get(#{key := V}) -> V;
get(_) -> none.

%% RUN: first/1 --native: FIRST
%% FIRST:     bs_open
%% FIRST-NOT: call
%% FIRST:     movz
%% FIRST:     shl
%% FIRST:     return_
first(<<X:8, _/binary>>) -> X.

%% A record is known by one comparison of its header and one of its tag.
%% RUN: tag/1 --native: TAG
%% TAG:      is_tagged_tuple
%% TAG-NOT:  call
%% TAG:      return_
tag({ok, V}) -> V.

%% A call pushes the address of the word behind it, an address of bytecode, not of native code.
%% RUN: call/1 --native: CALL
%% CALL:      call @
%% CALL:      movabs $0x{{[0-9a-f]+}},%rax
%% CALL:      dec %rdi
%% CALL-NEXT: jns
call(X) -> [swap(X) | nil].
