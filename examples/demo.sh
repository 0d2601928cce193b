#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows the main job on a few programs: find the signal system calls that can go, run
# without them, prove it.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
sigzero=${SIGZERO:-$root/target/release/sigzero}

stop() {
	echo "demo: $1" >&2
	echo "next: $2" >&2
	exit 1
}

say() {
	printf '\n%s\n' "$1"
}

show() {
	printf '\n$ sigzero %s\n' "$*"
	"$sigzero" "$@"
}

[ -x "$sigzero" ] || stop "sigzero is not built yet" "make"
sigzero=$(realpath "$sigzero")
command -v tcsh >/dev/null || stop "tcsh is not installed" "apt-get install tcsh"
command -v cc >/dev/null || stop "there is no C compiler" "apt-get install gcc libc6-dev"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$folder"

cat >loop.csh <<'END'
set i = 0
while ($i < 5000)
@ i = $i + 1
end
echo counted to $i
END
cc -O2 -g -o ping_pong "$root/examples/ping_pong.c"

say "1. A shell that counts to 5000. Which signal system calls does it make, and who asks?"
show stat -- tcsh -f loop.csh

say "2. The same script without them: nothing is rebuilt, it prints the same."
show run -- tcsh -f loop.csh

say "3. The proof: both ways in turn, calls counted from outside, outputs compared."
say "   Many calls need not mean much time: a shell does a lot besides."
show compare -n 10 -- tcsh -f loop.csh

say "4. Where the calls are the work: two coroutines that change places by swapcontext."
say "   It was built with debug information, so the callers have file and line."
show stat -- ./ping_pong
show compare -n 10 -- ./ping_pong

say "5. Perl's idiom for a time-out really changes masks and handlers. The kernel need not know"
say "   as long as no signal comes, and is told when one does."
if command -v perl >/dev/null; then
	show compare -n 10 -- perl -e 'for (1..20000) { local $SIG{ALRM} = sub {} }'
else
	say "   (left out: perl is not installed)"
fi

say "Now try it on your own program:"
cat <<'END'
  sigzero stat -- PROGRAM ARGUMENTS        who asks for signal system calls
  sigzero run -- PROGRAM ARGUMENTS         the program without those it can do without
  sigzero compare -- PROGRAM ARGUMENTS     calls and time before and after
  sigzero check PROGRAM                    what of a program can be treated, and why not
Small programs to play with are in examples/, each with its build line on top.
END
