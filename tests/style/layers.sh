#!/bin/sh
# layers.sh [ROOT]: reads every #include line and fails on one that goes through a wrong wall
# (docs/architecture.md, "Levels").
set -eu
root=${1:-$(dirname -- "$0")/../..}
cd -- "$root"

# Prints "file<TAB>line<TAB>include", with its quotes or angle brackets.
includes() {
    find "$@" -type f \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) -exec \
        grep -HnE '^[[:space:]]*#[[:space:]]*include' {} + |
        sed -E 's/^([^:]*):([0-9]+):[^"<]*(["<][^">]*[">]).*/\1\t\2\t\3/'
}

folders=
for folder in tuner frontends views libtuned kernels include examples; do
    [ ! -d "$folder" ] || folders="$folders $folder"
done

# shellcheck disable=SC2086 # the folders are words
includes $folders | awk -F '\t' '
BEGIN {
    split("tuner/base=0 tuner/device=1 tuner/stats=1 tuner/store=1 tuner/experiment=2 tuner/terminal=2 tuner/search=3 tuner/worker=3 " \
          "tuner/records=3 tuner/exchange=3 tuner/session=4 tuner/cli=8 frontends/capture=3 frontends/t1=3 frontends/init=4 " \
          "views/plot=3 views/explain=3 views/export=4 views/show=5 views/page=6 views/watch=7", rows, " ")
    for (i in rows) {
        split(rows[i], row, "=")
        level[row[1]] = row[2]
    }
    # Includes forbidden to the parts outside of the core. The facts of kinds of devices are plain
    # data.
    forbidden["views"] = "^tuner/(session|worker|search|cli)/"
    forbidden["frontends"] = "^(tuner/(store|session|worker|search|records|exchange|cli|terminal)|views)/|^tuner/device/"
    allowed = "^tuner/device/(traits|image|compiler)\\.h$"
    forbidden["tuner"] = "^(views|frontends)/"
    # Libraries that one room keeps to itself.
    owner["<sqlite3.h>"] = "tuner/store/"
    owner["<yaml.h>"] = "tuner/experiment/"
    owner["<lzma.h>"] = "tuner/base/"
    owner["<hwloc.h>"] = "tuner/device/"
    owner["<microhttpd.h>"] = "views/watch/"
    owner["<cuda.h>"] = "tuner/device/cuda/"
    owner["<nvrtc.h>"] = "tuner/device/cuda/"
    split("assert ctype errno float inttypes limits locale math stdarg stdbool stddef stdint stdio " \
          "stdlib string time", names, " ")
    for (i in names)
        standard["<" names[i] ".h>"] = 1
}
function wrong(why) {
    printf "%s:%s: %s: %s\n", $1, $2, $3, why
    failed = 1
}
function starts(text, with) {
    return substr(text, 1, length(with)) == with
}
{
    name = substr($3, 2, length($3) - 2)
    quoted = substr($3, 1, 1) == "\""
    split($1, from, "/")
    split(name, to, "/")
    if (from[1] == "kernels") {
        if (starts(name, "tuner/"))
            wrong("kernels use nothing of the tuner")
        else if ($1 ~ /\.cuh?$/ && !starts(name, "kernels/") && !(quoted && name ~ /^(\.\.\/[a-z_]+\/)?[a-z_]+\.cuh$/))
            wrong("device code includes device code beside it and no other header")
    } else if (from[1] == "include") {
        if (starts(name, "tuner/") || starts(name, "libtuned/") || name ~ /_cpu\.c$/)
            wrong("a call is for programs: <tuned.h>, kernels and CUDA are all it may use")
        else if (name == "tuned.h" && quoted)
            wrong("write it as programs find it: <tuned.h>")
        else if (starts(name, "kernels/") && $1 !~ /^include\/tune\/[a-z_]+\.cuh$/)
            wrong("kernels are found from include/tune/ only, once they are installed")
    } else if (from[1] == "libtuned") {
        if ($1 == "libtuned/tuned_cuda.h" && ($3 == "<cuda.h>" || $3 == "<cuda_runtime_api.h>"))
            seen++ # the one header that is for programs with CUDA
        else if ($3 == "<fcntl.h>" || $3 == "<unistd.h>" || $3 == "<sys/stat.h>")
            seen++ # the C library has them where there are files that hang (FIFOs)
        else if ($1 == "libtuned/tuned_record.c" && $3 == "<sys/mman.h>")
            seen++ # of the C library, too
        else if (name != "tuned.h" && name != "libtuned/tuned.h" && name !~ /^tuned_(debug|record)\.h$/ && !standard[$3])
            wrong("libtuned uses the C library and nothing else")
    } else if ($1 ~ /^frontends\/capture\/library\//) {
        if (quoted && !starts(name, "frontends/capture/library/"))
            wrong("the recorder lives in other people\047s programs: the C library is all it may use")
    } else if (from[1] == "examples") {
        if (starts(name, "tuner/"))
            wrong("an example is a program of its own: libtuned is all it may use")
    } else if (!quoted) {
        if (($3 in owner) && !starts($1, owner[$3]))
            wrong("only " owner[$3] " uses it")
    } else if (name ~ /^frontends\/capture\/library\/(apply|format|name|settings)\.h$/ && starts($1, "frontends/capture/")) {
        seen++ # shared by the recorder and its reader
    } else if (name ~ /^(tuner|frontends|views)\//) {
        here = from[1] "/" from[2]
        there = to[1] "/" to[2]
        if (!(here in level))
            wrong("the room " here " has no level in tests/style/layers.sh")
        else if (!(there in level))
            wrong("there is no room of that name")
        else if (here != there && level[there] >= level[here])
            wrong(here " (level " level[here] ") may not use " there " (level " level[there] ")")
        else if (here != "tuner/cli" && here != there && name ~ forbidden[from[1]] && name !~ allowed)
            wrong(from[1] "/ may not use " there)
        else if (here != there && name ~ /internal\.h$/)
            wrong("that header is private to its room")
    } else if (name !~ /^(libtuned\/)?tuned(_record)?\.h$/ && !starts(name, "kernels/")) {
        wrong("write it from the root: \"PART/ROOM/FILE.h\"")
    }
    seen++
}
END {
    if (seen == 0) {
        print "no #include line was found"
        exit 1
    }
    exit failed
}'
