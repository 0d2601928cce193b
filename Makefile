# SPDX-License-Identifier: MIT
# The one door: Meson builds the C side, Cargo the Rust side.
#   make            both          make check   all tests
#   make demo       the main job  make bench   side by side with peers
#   make kernel-check             the kernel patches, in a booted kernel
#   make install    PREFIX=/usr/local DESTDIR=
BUILD ?= build
PREFIX ?= /usr/local
CARGO ?= cargo
CHECK_ARGS ?=
BENCH_ARGS ?=
KERNEL_ARGS ?=

.PHONY: all runtime cli demo check bench kernel-check install lint clean

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

# Needs nothing of what the other targets build.
kernel-check:
	./setup kernel
	kernel/check $(KERNEL_ARGS)

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --release --locked --all-targets -- -D warnings

SHARE = $(DESTDIR)$(PREFIX)/share
LIB = $(DESTDIR)$(PREFIX)/lib
INCLUDE = $(DESTDIR)$(PREFIX)/include
VERSION = $(shell sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
FILL = sed 's|@VERSION@|$(VERSION)|; s|@UP@|../..|'

# Builds nothing, so that it can be run as root after `make`.
install:
	@test -x target/release/sigzero -a -e $(BUILD)/runtime/libsigzero.so || \
		{ echo "install: nothing is built yet; next: make" >&2; exit 1; }
	install -D -s -m 755 target/release/sigzero $(DESTDIR)$(PREFIX)/bin/sigzero
	install -D -m 644 $(BUILD)/runtime/libsigzero.so $(LIB)/sigzero/libsigzero.so
	ln -sf sigzero/libsigzero.so $(LIB)/libsigzero.so.1
	ln -sf libsigzero.so.1 $(LIB)/libsigzero.so
	install -D -m 644 $(BUILD)/runtime/libsigzero.a $(LIB)/libsigzero.a
	install -D -m 644 include/sigzero.h $(INCLUDE)/sigzero.h
	install -D -m 644 include/freebsd/sys/signalvar.h $(INCLUDE)/sigzero/freebsd/sys/signalvar.h
	install -d $(LIB)/pkgconfig $(LIB)/cmake/sigzero $(SHARE)/man/man3
	for file in sigzero.pc sigzero-static.pc; do \
		$(FILL) packaging/$$file.in >$(LIB)/pkgconfig/$$file || exit 1; done
	for file in sigzeroConfig.cmake sigzeroConfigVersion.cmake; do \
		$(FILL) packaging/$$file.in >$(LIB)/cmake/sigzero/$$file || exit 1; done
	install -m 644 docs/man/*.3 $(SHARE)/man/man3
	install -d $(LIB)/systemd/system $(SHARE)/sigzero
	sed 's|@PREFIX@|$(PREFIX)|' packaging/systemd/sigzero-export.service.in \
		>$(LIB)/systemd/system/sigzero-export.service
	install -m 644 packaging/grafana/sigzero.json $(SHARE)/sigzero/grafana.json
	install -m 644 packaging/kubernetes/sigzero-export.yaml $(SHARE)/sigzero/kubernetes.yaml
	target/release/sigzero generate man $(SHARE)/man/man1
	target/release/sigzero generate completions $(BUILD)/completions
	install -D -m 644 $(BUILD)/completions/sigzero.bash $(SHARE)/bash-completion/completions/sigzero
	install -D -m 644 $(BUILD)/completions/_sigzero $(SHARE)/zsh/site-functions/_sigzero
	install -D -m 644 $(BUILD)/completions/sigzero.fish $(SHARE)/fish/vendor_completions.d/sigzero.fish

clean:
	rm -rf $(BUILD) target
