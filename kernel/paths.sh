# SPDX-License-Identifier: GPL-2.0
# Sourced by the scripts beside it: where things lie, and which kernel is meant.
#   KERNEL_CACHE     the sources, the builds and ccache's store; may be deleted at any time
#   KERNEL_PATCHES   all (as if empty), none, or words such as "0001": the patches to apply
#   KERNEL_BROKEN    one more patch, by path: a mistake that the tests must notice, see tests/broken
#   KERNEL_CONFIG    lean (as if empty), or words: the fragments of config/ on top of lean
room=$(cd "$(dirname "$0")" && pwd)
cache=${KERNEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sigzero/kernel}
package=linux-source-6.12
patches=${KERNEL_PATCHES:-all}
config=${KERNEL_CONFIG:-lean}
broken=${KERNEL_BROKEN:-}
variant=$(echo "$patches" | tr -s ' ' '+')
pristine=$cache/pristine
tree=$cache/tree-$variant
build=$cache/build-$variant-$(echo "$config" | tr -s ' ' '+')
results=$build/check

# A fixed date and place, so that ccache finds again what it has compiled.
export KBUILD_BUILD_TIMESTAMP='1 January 2025' KBUILD_BUILD_USER=sigzero KBUILD_BUILD_HOST=sigzero
export CCACHE_DIR="${CCACHE_DIR:-$cache/ccache}" CCACHE_MAXSIZE="${CCACHE_MAXSIZE:-1G}"

die() {
	echo "kernel/${0##*/}: $*" >&2
	exit 1
}

# The patches that KERNEL_PATCHES names, in order, one a line.
series() {
	case $patches in
	none) ;;
	all) ls "$room"/patches/*.patch 2>/dev/null || true ;;
	*)
		for word in $patches; do
			ls "$room"/patches/"$word"*.patch 2>/dev/null || die "there is no patch $word"
		done
		;;
	esac
	[ -z "$broken" ] || echo "$broken"
}

# The selftests that they bring along.
selftests() { sed -n 's|^tools/testing/selftests/\([^/]*\)/Makefile$|\1|p' "$tree/.series/files"; }
