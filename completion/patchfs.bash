# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of patchfs. Commands and options are asked of the program itself,
# so this knows no list that could be out of date.

_patchfs_words() {
	"$1" ${2:+"$2"} --help 2>/dev/null |
		sed -nE 's/^  (-[A-Za-z], )?(--[a-z0-9-]+=?).*/\2/p'
}

_patchfs() {
	local program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]}
	local prev=${COMP_WORDS[COMP_CWORD - 1]} words=
	COMPREPLY=()
	if test "$COMP_CWORD" -eq 1; then
		words=$("$program" --help 2>/dev/null |
			sed -nE 's/^  ([a-z]+)  .*/\1/p')
		words="$words --help --version"
	else
		case $prev in
		--log-level) words="error warn info debug" ;;
		--rest) words="repeat drop keep" ;;
		=)
			case ${COMP_WORDS[COMP_CWORD - 2]} in
			--log-level) words="error warn info debug" ;;
			--log) words="stderr syslog" ;;
			--rest) words="repeat drop keep" ;;
			esac
			;;
		esac
		case $cur in
		-*) words=$(_patchfs_words "$program" "${COMP_WORDS[1]}") ;;
		esac
	fi
	test -n "$words" || return 0 # file names: complete -o default
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	case ${COMPREPLY[0]-} in
	*=) compopt -o nospace 2>/dev/null || : ;;
	esac
}
complete -o default -F _patchfs patchfs
