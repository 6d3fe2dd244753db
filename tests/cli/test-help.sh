#!/bin/bash
# SPDX-License-Identifier: MIT
# --help: on stdout, 80 columns, status 0; wrong options: one line on stderr,
# nothing on stdout. Completion offers what --help says.
. "$srcdir/tests/lib.sh"

# run WANT ARGUMENT...: status; $tmp/out and $tmp/err hold what it said.
run() {
	local want=$1 rc=0
	shift
	patchfs "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || rc=$?
	test $rc -eq "$want" || fail "patchfs $*: status $rc, not $want"
}
helps() {
	run 0 "$@"
	test -s "$tmp/out" || fail "patchfs $*: nothing on stdout"
	test ! -s "$tmp/err" || fail "patchfs $*: $(cat "$tmp/err")"
	! grep -nE '.{81}' "$tmp/out" || fail "patchfs $*: over 80 columns"
}
refuses() {
	run "$@"
	test ! -s "$tmp/out" || fail "$*: on stdout: $(cat "$tmp/out")"
	test "$(wc -l <"$tmp/err")" -eq 1 || fail "$*: $(cat "$tmp/err")"
}

helps --help
commands=$(sed -nE 's/^  ([a-z]+)  .*/\1/p' "$tmp/out")
test "$(echo "$commands" | xargs)" = "mount umount ls cat info list index stats" ||
	fail "commands: $commands"
helps --version
grep -q '^patchfs [0-9]' "$tmp/out" || fail "--version"
for cmd in $commands; do
	helps "$cmd" --help
	grep -q "^Usage: patchfs $cmd " "$tmp/out" || fail "$cmd: usage"
	usage=2
	case $cmd in mount | umount) usage=1 ;; esac
	refuses $usage "$cmd" --no-such-option x y
	grep -q "unknown option --no-such-option.* patchfs $cmd --help" \
		"$tmp/err" || fail "$cmd"
	refuses $usage "$cmd" -Z x y
	refuses $usage "$cmd"
done
# Other words: which there are; the nearest where a finger slipped. What is a
# path is mount(8)'s way to call us.
unknown() { # WORDS ARGUMENT...
	local words=$1
	shift
	refuses 2 "$@"
	grep -q "^patchfs: unknown command $1$words; there are mount, umount, ls," \
		"$tmp/err" || fail "patchfs $*: $(<"$tmp/err")"
}
unknown '' no-such-command
unknown ', perhaps list' lits
unknown ', perhaps mount' mont a b
unknown ', perhaps index' indx --help
refuses 2 --no-such-option
grep -q "unknown option --no-such-option" "$tmp/err" || fail "$(<"$tmp/err")"
refuses 1 mount a
refuses 1 mount a b c
refuses 1 mount --cache-size a b
refuses 1 mount --cache-size=big a b
grep -q 'big.*512M' "$tmp/err" || fail "no word of what a size is"
refuses 1 mount --cache-size
refuses 1 mount --foreground=1 a b
refuses 1 mount --threads=0 a b
refuses 1 mount --log-level=loud a b
grep -q 'loud.*info or debug' "$tmp/err" || fail "no word of the levels"
refuses 1 mount -o no_such_option a b
refuses 1 mount -o cache_size a b
refuses 1 mount -o ro,threads=x a b
refuses 1 ./a b -o no_such_option
refuses 1 "$tmp" b -o no_such_option
refuses 2 cat --offset=x a b
# What follows -- is no option; a directory named so is not there.
refuses 2 ls -- --help
refuses 32 mount -- --help x

# Completion.
# shellcheck source=/dev/null
. "$srcdir/completion/patchfs.bash"
program=$builddir/patchfs
offers() {
	COMP_WORDS=("$program" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_patchfs
	printf '%s\n' "${COMPREPLY[@]}" | sort
}
test "$(offers '' | grep -v ^-)" = "$(echo "$commands" | sort)" ||
	fail "completion of commands: $(offers '')"
for cmd in $commands; do
	patchfs "$cmd" --help |
		sed -nE 's/^  (-[A-Za-z], )?(--[a-z0-9-]+=?).*/\2/p' |
		sort >"$tmp/want"
	test -s "$tmp/want" || fail "$cmd: no options"
	offers "$cmd" -- >"$tmp/have"
	diff "$tmp/want" "$tmp/have" || fail "completion of $cmd"
done
test "$(offers mount --log-level = d)" = debug || fail "--log-level"
