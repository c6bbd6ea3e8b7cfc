# What a person types in this repository. `make` alone says what there is.

PREFIX ?= $(HOME)/.local
CARGO ?= cargo

# rustup puts cargo here; a shell that never read its profile does not know that.
export PATH := $(PATH):$(HOME)/.cargo/bin

release := $(or $(CARGO_TARGET_DIR),target)/release

.PHONY: help run build test bench install uninstall audit

help:
	@echo 'make run      build, start the daemon and open the terminal "main"'
	@echo 'make test     set up what the tests need and run them all'
	@echo 'make bench    measure against dtach and tmux; writes docs/performance.md'
	@echo 'make install  install wigwag, ww, wigwag-holder and completions under PREFIX=$(PREFIX)'
	@echo 'make audit    check the licences and sources of all dependencies'

# The release build, also for `run`: a terminal keeps the program it was started with, often
# for weeks, so it should be the fast one.
build:
	@command -v $(CARGO) >/dev/null || { echo 'make: cargo is not here: install Rust from https://rustup.rs' >&2; exit 1; }
	$(CARGO) build --release --locked --bins -p wigwag -p holder

run: build
	@scripts/run $(release)

# One build of everything first: tests start the real executables, also those of other
# packages, and find them beside their own.
test:
	@scripts/setup-test-programs
	$(CARGO) build --workspace --bins --locked
	@scripts/test

bench: build
	@scripts/setup-test-programs
	$(CARGO) run --release --locked -p benches -- --bin-dir $(release) $(BENCH)

install: build
	@scripts/install $(release) $(PREFIX)

uninstall:
	@scripts/install --remove $(PREFIX)

audit:
	@scripts/audit
