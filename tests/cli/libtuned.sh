# shellcheck shell=bash
# libtuned keeps its promises: strict C99, usable from C++, small (tuned.c, without the parts for
# debugging), dependent on the C library alone, and exporting only the names of tuned.h.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
libtuned=$TUNE_SOURCE/libtuned
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Werror)

build() {
    run "${CC:-cc}" -std=c99 -O2 "${warnings[@]}" -fPIC -fvisibility=hidden -shared "$@"
    expect_code 0
}
build "$libtuned/tuned.c" -o libtuned.so
build -DTUNED_WITH_DEBUG -DTUNED_WITH_RECORD "$libtuned"/tuned{,_debug,_record}.c -o whole.so

# No global state except the count of tuned_serial: no other writable symbol, apart from those of the start files. text
# MOST COMPILER [OPTION...]: the code of tuned.c, in bytes: 16 KiB plain, an eighth more hardened.
text() {
    local text state most=$1
    shift
    run "$@" -std=c99 -Os -fvisibility=hidden -c "$libtuned/tuned.c" -o tuned.o
    expect_code 0
    size -A tuned.o >sections
    text=$(awk '$1 ~ /^\.text/ { sum += $2 } END { print sum + 0 }' sections)
    state=$(awk '$1 ~ /^\.(data|bss|tdata|tbss)$/ { sum += $2 } END { print sum + 0 }' sections)
    [[ $text -gt 0 && $text -lt $most ]] || fail "$*: .text is $text bytes"
    [[ $(nm -S tuned.o | awk '$4 == "serials" { print $3 }') == b && $state -eq $(($(getconf LONG_BIT) / 8)) ]] ||
        fail "$*: $state bytes of global state, and not the count alone"
}
hardened=(-fPIC -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
compilers=("${CC:-cc}")
# The version of clang that the figure is for; others differ by some hundred bytes.
[[ $(clang -dumpversion 2>/dev/null) != 14.* ]] || compilers+=(clang)
for compiler in "${compilers[@]}"; do
    text 16384 "$compiler"
    protected=()
    [[ $(uname -m) != x86_64 ]] || protected=(-fcf-protection)
    [[ $(uname -m) != aarch64 ]] || protected=(-mbranch-protection=standard)
    text 18432 "$compiler" "${hardened[@]}" "${protected[@]}"
done
# Where the other machine's compiler has its headers.
for compiler in aarch64-linux-gnu-gcc "clang --target=aarch64-linux-gnu"; do
    read -ra words <<<"$compiler"
    [[ $compiler != clang* || " ${compilers[*]} " == *" clang "* ]] || continue
    echo '#include <stdio.h>' | "${words[@]}" -fsyntax-only -xc - 2>/dev/null || continue
    text 16384 "${words[@]}"
    text 18432 "${words[@]}" "${hardened[@]}" -mbranch-protection=standard
done
text 16384 "${CC:-cc}"

# Needs only libc, and of it no function that prints, exits or reads the locale.
if readelf -d libtuned.so | grep NEEDED | grep -v 'libc\.'; then fail "needs another library"; fi
nm -D --undefined-only libtuned.so | awk '{ print $NF }' | sed 's/@.*//' | LC_ALL=C sort >wanted
if grep -vxE '(__)?(v?snprintf|strn?cmp|strlen|strchr|mem(chr|cpy|set|move|cmp))(_chk)?|malloc|free|getenv|(__)?(open|read|close|fstat)(64)?(_2|_chk)?|__errno_location|__stack_chk_fail|__cxa_finalize|__gmon_start__|_ITM_.*' wanted; then
    fail "calls more than it should"
fi

if readelf -d whole.so | grep NEEDED | grep -v 'libc\.'; then fail "the whole needs another library"; fi
# Nothing of a record allocates memory.
"${CC:-cc}" -std=c99 -O2 -c "$libtuned/tuned_record.c" -o record.o
if nm --undefined-only record.o | grep -E ' (malloc|calloc|realloc|strdup|free)$'; then fail "records allocate"; fi

# Exports exactly the declarations of the two headers.
nm -D --defined-only whole.so | awk '{ print $NF }' | sed 's/@.*//' | LC_ALL=C sort >shown
sed -n '/^TUNED_API/,/;/p' "$libtuned"/tuned{,_record}.h | tr '\n' ' ' | grep -oE 'tuned_[a-z_]+\(' |
    tr -d '(' | LC_ALL=C sort -u >declared
[[ -s declared ]] || fail "tuned.h declares nothing"
diff declared shown || fail "tuned.h and libtuned.so differ (<: declared, >: shown)"

# The library that was built has a soname, and the header is C++ too.
readelf -d "$TUNE_BUILD/libtuned/libtuned.so" | grep -q 'SONAME.*libtuned\.so\.[0-9]' ||
    fail "libtuned.so has no soname"
if command -v g++ >/dev/null; then
    echo '#include "tuned.h"
    int main() { tuned_answer answer; return tuned_find(nullptr, nullptr, "", 1, &answer); }' >use.cpp
    run g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$libtuned" use.cpp tuned.o -o use
    expect_code 0
    ./use || fail "tuned_find without a file does not answer none"
fi
