# SPDX-License-Identifier: MIT
# The one door: Meson builds the C side, Cargo the Rust side.
#   make            both          make check   all tests
#   make demo       the main job  make bench   side by side with peers
#   make install    PREFIX=/usr/local DESTDIR=
BUILD ?= build
PREFIX ?= /usr/local
CARGO ?= cargo
CHECK_ARGS ?=
BENCH_ARGS ?=

.PHONY: all runtime cli demo check bench install lint clean

all: runtime cli

$(BUILD)/build.ninja:
	./setup build
	meson setup $(BUILD)

runtime: $(BUILD)/build.ninja
	ninja -C $(BUILD)

cli:
	$(CARGO) build --release --locked

demo:
	./setup demo
	$(MAKE) all
	examples/demo.sh

check:
	./setup check
	$(MAKE) all
	tests/check $(CHECK_ARGS)

bench:
	./setup build bench
	$(MAKE) all
	python3 bench/run.py $(BENCH_ARGS)

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --release --locked --all-targets -- -D warnings

install: all
	install -D -m 755 target/release/sigzero $(DESTDIR)$(PREFIX)/bin/sigzero
	install -D -m 644 $(BUILD)/runtime/libsigzero.so $(DESTDIR)$(PREFIX)/lib/sigzero/libsigzero.so
	target/release/sigzero generate man $(DESTDIR)$(PREFIX)/share/man/man1
	target/release/sigzero generate completions $(DESTDIR)$(PREFIX)/share/sigzero/completions

clean:
	rm -rf $(BUILD) target
