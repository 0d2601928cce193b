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

SHARE = $(DESTDIR)$(PREFIX)/share

# Builds nothing, so that it can be run as root after `make`.
install:
	@test -x target/release/sigzero -a -e $(BUILD)/runtime/libsigzero.so || \
		{ echo "install: nothing is built yet; next: make" >&2; exit 1; }
	install -D -s -m 755 target/release/sigzero $(DESTDIR)$(PREFIX)/bin/sigzero
	install -D -m 644 $(BUILD)/runtime/libsigzero.so $(DESTDIR)$(PREFIX)/lib/sigzero/libsigzero.so
	target/release/sigzero generate man $(SHARE)/man/man1
	target/release/sigzero generate completions $(BUILD)/completions
	install -D -m 644 $(BUILD)/completions/sigzero.bash $(SHARE)/bash-completion/completions/sigzero
	install -D -m 644 $(BUILD)/completions/_sigzero $(SHARE)/zsh/site-functions/_sigzero
	install -D -m 644 $(BUILD)/completions/sigzero.fish $(SHARE)/fish/vendor_completions.d/sigzero.fish

clean:
	rm -rf $(BUILD) target
