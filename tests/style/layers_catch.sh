#!/bin/sh
# Plants one wrong include after the other and expects layers.sh to name each.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

expect() {
    verdict=$1
    file=$2
    line=$3
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/$(dirname "$file")"
    printf '%s\n' "$line" >"$tree/$file"
    if output=$("$here/layers.sh" "$tree"); then got=right; else got=wrong; fi
    if [ "$got" != "$verdict" ]; then
        echo "$file with '$line' was called $got: $output"
        exit 1
    fi
    if [ "$verdict" = wrong ] && [ "${output#"$file:1:"}" = "$output" ]; then
        echo "the message does not begin with $file:1: $output"
        exit 1
    fi
}

expect right tuner/store/a.c '#include "tuner/base/error.h"'
expect right tuner/cli/a.c '#include "tuner/session/session.h"'
expect right tuner/store/a.c '#include <sqlite3.h>'
expect right libtuned/tuned.c '#include <stdlib.h>'
expect wrong tuner/base/a.c '#include "tuner/store/store.h"'
expect wrong tuner/store/a.c '#include "tuner/experiment/experiment.h"'
expect wrong tuner/worker/a.c '#include "tuner/search/search.h"'
expect wrong tuner/session/a.c '#  include "tuner/cli/commands.h"'
expect wrong views/plot/a.c '#include "tuner/store/internal.h"'
expect wrong tuner/cli/a.c '#include <sqlite3.h>'
expect wrong tuner/session/a.c '#include <cuda.h>'
expect wrong tuner/store/a.c '#include "store.h"'
expect wrong tuner/attic/a.c '#include "tuner/base/error.h"'
expect wrong libtuned/tuned.c '#include "tuner/base/error.h"'
expect wrong libtuned/tuned.c '#include <sys/mman.h>'
expect wrong libtuned/tuned.c '#include <cuda.h>'
expect right frontends/capture/a.c '#include "frontends/capture/library/format.h"'
expect wrong tuner/worker/a.c '#include "frontends/capture/library/format.h"'
expect wrong frontends/capture/library/a.c '#include "tuner/base/error.h"'
expect right views/page/a.c '#include "views/explain/explain.h"'
expect wrong views/explain/a.c '#include "tuner/worker/worker.h"'
expect wrong views/show/a.c '#include "tuner/session/session.h"'
expect wrong tuner/session/a.c '#include "views/explain/explain.h"'
expect wrong frontends/t1/a.c '#include "tuner/device/device.h"'
expect wrong frontends/t1/a.c '#include "tuner/store/store.h"'
expect right frontends/t1/a.c '#include "tuner/experiment/document.h"'
expect right tuner/cli/a.c '#include "views/page/report.h"'
expect right libtuned/tuned_cuda.h '#include <cuda.h>'
expect right kernels/a/a.cuh '#include "../reduce/machine.cuh"'
expect wrong kernels/a/a.cu '#include <cstdio>'
expect wrong kernels/a/a.cuh '#include "../../tuner/base/element.h"'
expect right include/tune/a.cuh '#include "kernels/reduce/reduce.cuh"'
expect right include/tune/detail/a.cuh '#include <cuda_runtime.h>'
expect wrong include/tune/detail/a.cuh '#include "kernels/reduce/reduce.cuh"'
expect wrong include/tune/a.cuh '#include "tuner/base/element.h"'
expect wrong include/tune/a.cuh '#include "tuned.h"'
expect wrong kernels/a/a_cpu.c '#include "tuner/base/error.h"'
expect wrong examples/a.c '#include "tuner/base/error.h"'
