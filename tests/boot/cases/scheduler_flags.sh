# quick
# +S, +SP, +SDcpu, +SDPcpu, +SDio in any order; +e and ERL_MAX_ETS_TABLES; +hmax of any size.
all='io:format("~w ", [[erlang:system_info(K) || K <- [schedulers, schedulers_online, dirty_cpu_schedulers, dirty_cpu_schedulers_online, dirty_io_schedulers, ets_limit]]]), halt().'
for f in '+S 8:8 +SP 50:25' '+SP50:25 +S 8:8' '+S 4:2' '+SDcpu 3:3' '+S 4:4 +SDcpu 3:2' '+S 4:4 +SDcpu 0:0' '+S 4:4 +SDcpu :2' '+S 4:4 +SDPcpu 50:25' \
         '+SDPcpu 0:0' '+SDio 20' '+SDio 0' '+S 4 +SDcpu 2:3' '+SP 200:100' '+SP 100000000' '+S 4:4 +SDcpu -1:-1' '+S 4:4 +SDPcpu 50:50 +SDcpu 2:2' '+SDPcpu x' \
         '+S 4:1 +SDcpu 4:2' '+S 4:4 +SP 50' '+S 4 +SP :50' '+S x' '+e -5' '+e 20000' '+e x'; do
  echo "$f: $(erl $f -noshell -eval "$all" 2>&1 | head -1)"
done
ERL_MAX_ETS_TABLES=12345 erl -noshell -eval "$all"; echo
erl +hmax 576460752303423487 -noshell -eval 'io:format("~p~n", [[process_info(self(), max_heap_size),
  [catch process_flag(max_heap_size, N) || N <- [1 bsl 40, (1 bsl 59) - 1, 0]], element(1, catch process_flag(max_heap_size, 1 bsl 59))]]), halt().'
