# Two commands matter: `make run` and `make test`. `make help` lists all.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
JOBS := $(shell nproc)
WHITEBEAM := build/release/bin/whitebeam
CTEST := ctest --test-dir build/release --output-on-failure --no-tests=error -j $(JOBS)

.PHONY: install library deb help setup build run test test-full test-otp test-apps test-variants test-elixir otps format clean build-% bench bench-doc bench-instructions soak pictures

help:             ## this list
	@echo "Whitebeam: runs .beam files on every core."; echo
	@grep -hE '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /  make \1\t/' | expand -t 20

setup:            ## install what is missing (Debian 12, root)
	@tools/setup

build-%: setup
	@[ -f build/$*/build.ninja ] || { echo "== configure $*"; cmake --preset $* >build-$*.log || \
	  { cat build-$*.log; rm -f build-$*.log; exit 1; }; rm -f build-$*.log; }
	@echo "== build $*$(if $(TARGETS),: $(TARGETS))"
	@cmake --build --preset $* $(if $(TARGETS),--target $(TARGETS))

run bench bench-doc bench-instructions: TARGETS = whitebeam
build: build-release ## build the release preset: build/release/bin/whitebeam

run: build-release ## build, then run a ring of 100,000 processes on every core
	@echo "== $(WHITEBEAM) run examples/ring.erl"
	@$(WHITEBEAM) run examples/ring.erl

test: build-release build-asan ## build and run the tests (ends with ctest's summary)
	@echo "== tests"
	@$(CTEST) -LE full

library:          ## build libwhitebeam.so, for other programs (docs/embedding.md)
	@cmake --build build/release --target whitebeam_library -j $(JOBS)

test-full: build-release library build-asan build-tsan build-fuzz ## everything: all programs under GC stress, 20 seeds, sanitizers, fuzzing
	@echo "== all tests"
	@$(CTEST)

test-otp: build-release ## suites of OTP itself: make test-otp SUITES="bs_utf_SUITE lists_SUITE"
	@tests/otp/run $(SUITES)

test-variants: build-release ## OTP's suites, compiled with every set of options of its makefiles, loaded (RUN=1: and run)
	@tests/otp/variants/run
	@$(if $(RUN),tests/otp/variants/run suites compiler; tests/otp/variants/run suites emulator)

test-applications: build-release ## Debian's Erlang applications and servers, fetched, on erl and here: CASES="stores pure tsung"
	@tests/applications/run $(CASES)

test-apps: build-release ## OTP's and Elixir's own tools, Debian's fetched, on erl and here, a script each: CASES="ct rebar3"
	@tests/boot/run --tools $(CASES)

test-elixir: build-release ## test suites of Elixir itself: make test-elixir FILES="enum_test kernel/ eex/" OTP=27
	@tests/elixir/run $(if $(OTP),--otp $(OTP)) --jobs $(JOBS) $(FILES)

# PREFIX: where to (/usr/local); DESTDIR: below which directory, for packages
install: library ## install program, library, man pages, completions and an `erl` that runs on it (after make build)
	@tools/packaging/install build/release $(or $(PREFIX),/usr/local) $(DESTDIR)

deb: build-release library ## make a package for Debian 12, in build/
	@tools/packaging/deb build/release build

otps:             ## fetch OTP 27 and 29 to compile and compare with, into build/otps (nothing is installed)
	@tests/otps/fetch

# GROUP: compute collection process memory latency startup; BENCH: single ones; ROUNDS: turns of each VM
BENCH_OPTIONS = $(if $(GROUP),--group "$(GROUP)") $(if $(ROUNDS),--rounds $(ROUNDS)) $(BENCH)
bench: build-release ## `erl` and Whitebeam, side by side (GROUP=compute BENCH="fib tak" ROUNDS=5); NATIVE=1: and C++, Go, CAF
	@$(if $(NATIVE),tools/setup native)
	@tests/bench/run $(if $(NATIVE),--native) $(BENCH_OPTIONS)

bench-doc: build-release ## the same with C++, Go and CAF, and the table goes into docs/performance.md
	@tools/setup native
	@tests/bench/run --native --doc $(BENCH_OPTIONS)

bench-instructions: build-release ## instructions that BENCH="..." executes, counted by callgrind
	@tests/bench/run --instructions $(BENCH_OPTIONS)

soak: build-release ## all process programs at random, with kills, for an hour (SECONDS=600: shorter)
	@tests/soak/run_mixed $(WHITEBEAM) $(or $(SECONDS),3600)

compatibility: build-release ## compare millions of calls with erl and write docs/compatibility.md (OTP=27: that release)
	@tests/api_comparison/compatibility $(if $(OTP),--otp $(OTP))

pictures: build-release ## screenshots of the observer's page for the README, in docs/img (chromium, node, npm, pngquant)
	@tests/web/run $(WHITEBEAM) docs/img
	@tests/web/run_machines $(WHITEBEAM) docs/img
	@tests/web/run_story $(WHITEBEAM) docs/img

format: setup     ## clang-format every C++ file in place
	@git ls-files -co --exclude-standard '*.h' '*.cc' | xargs -r -P $(JOBS) -n 20 clang-format-19 -i

clean:            ## remove build/
	@rm -rf build
