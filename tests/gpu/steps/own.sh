# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# Kernels and files of others' own: T1 files tuned, the compilers, the search strategies.

# Each of T1_FILES, unchanged, with the kernels of examples/t1, one after the other: into t1.db,
# t1.conf and t1.txt, and as T4 into t1-NAME.t4.json.gz. Options: T1_OPTIONS for all of them, and of one
# also T1_OPTIONS_bat_gemm and so on. Started again with the same GPU_WORK it goes on.
t1() {
    local status=0 name options
    rm -rf "$work/t1" && cp -r "$here/examples/t1" "$work/t1" && python3 "$work/t1/make_data.py" || return 1
    : >"$work/t1-run.txt"
    for name in ${T1_FILES:-bat-gemm ktt-tutorial03}; do
        options=T1_OPTIONS_${name//-/_}
        # shellcheck disable=SC2086 # options are words
        t1_run "$name" ${T1_OPTIONS:---strategy exhaustive --effort quick --budget 540s} ${!options:-} || status=$?
    done
    record t1 python3 "$here/bench/tuned_figures.py" "$work/t1.db" "bat_gemm=$((2 * 4096 ** 3))" \
        "ktt_cltune_gemm=$((2 * 2048 ** 3))" || status=1
    tee -a "$more/t1.txt" <"$work/t1-run.txt"
    cp "$work/t1.conf" "$more/" && keep t1.db
    return $status
}

t1_run() { # name options...
    local name=$1 status=0
    shift
    (cd "$work" && "$tune" run "t1/$name.json" --device 0 --no-report --db t1.db --conf t1.conf "$@" \
        >/dev/null 2>"t1-$name.txt") || status=$?
    {
        printf 'tune run %s.json %s\n' "$name" "$*"
        grep '^tune: ' "$work/t1-$name.txt" || tail -n 3 "$work/t1-$name.txt"
        "$tune" export --db "$work/t1.db" --problem "${name//-/_}" --t4 "$work/t1-$name.t4.json" 2>&1
    } | sed "s#$work/##g" >>"$work/t1-run.txt"
    gzip -9c "$work/t1-$name.t4.json" >"$more/t1-$name.t4.json.gz" || status=1
    return $status
}

# The pool of compilers, on all cores: a cold cache, then a warm one.
compile() {
    record compile timeout 300 "$build/bench/bench_compile"
}

# The strategies on the results of step t1, or on STRATEGIES_DB.
strategies() {
    # shellcheck disable=SC2086 # options are words
    record strategies timeout 500 "$build/bench/bench_strategies" --db "${STRATEGIES_DB:-$work/t1.db}" \
        --most 1 --csv "$more/strategies.csv" ${STRATEGIES_OPTIONS:-}
}

# The speed of counting spaces, and the memory.
space() {
    # shellcheck disable=SC2086 # options are words
    record space timeout 300 "$build/bench/bench_space" ${SPACE_FILES:-"$here"/bench/spaces/*.yaml}
}

# Arguments, references and launches of all kinds, on the device.
own() {
    local status=0 program found=0
    for program in "$build"/tests/gpu/test_own*; do
        [ -x "$program" ] || continue
        found=1
        timeout 120 "$program" >"$work/own.txt" 2>&1 || { status=1; echo "FAILED ${program##*/}"; }
        grep -E 'PASSED|FAILED|error|SKIPPED' "$work/own.txt"
    done
    [ $found -eq 1 ] || { echo "no such tests were built"; return 1; }
    return $status
}

# Keys of an experiment file for compilers, launches and arguments: each of tests/gpu/language is
# tuned, and has a winner.
language() {
    local status=0 file
    rm -f "$work"/language.db* "$work/language.conf"
    for file in "$here"/tests/gpu/language/*.yaml; do
        if timeout 120 "$tune" run "$file" --device 0 --effort quick --no-report --db "$work/language.db" \
            --conf "$work/language.conf" >"$work/language.txt" 2>&1; then
            echo "PASSED $(basename "$file" .yaml)"
        else
            status=1
            echo "FAILED $(basename "$file" .yaml)"
            tail -n 5 "$work/language.txt"
        fi
    done
    return $status
}

# Kernels in Python: examples/transpose_*.py by the tuned.conf of this device: some 70 s.
python_kernels() {
    LD_LIBRARY_PATH=$build/libtuned${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        record python python3 "$here/tests/gpu/python_kernels.py" "$tune" "$here" "$work/python"
}

# Host functions: the examples, and three kernels by one call against the same as launches, size by size (both are in
# functions.txt, with their intervals): equal within noise, since both are replayed as a graph.
functions() {
    local status=0 file
    # shellcheck disable=SC2086 # options are words
    for file in examples/functions tests/gpu/functions/launches examples/library_call examples/pipeline examples/cublaslt; do
        (cd "$work" && "$tune" run "$here/$file.yaml" --device 0 --no-report --db functions.db --conf functions.conf \
            ${FUNCTIONS_OPTIONS:---budget 60s} >>functions-show.txt 2>>functions-run.txt) || { status=1; echo "FAILED $file"; }
    done
    grep 'not as a graph' "$work/functions-run.txt"
    record functions "$tune" show --db "$work/functions.db" --wide || status=1
    keep functions.db || status=1
    return $status
}

# CUB's algorithms by their tuning policies, against CUB's own, with the headers of CCCL_DIR (nvidia/cu13/include/cccl of the
# wheel nvidia-cuda-cccl): cub.txt has the gain of each size and type over the baseline `cub`.
cub_policies() {
    local status=0 name
    [ -f "${CCCL_DIR:-}/cub/version.cuh" ] || { echo "CCCL_DIR names no headers of CUB"; return 1; }
    # shellcheck disable=SC2086 # options are words
    for name in ${CUB_EXPERIMENTS:-reduce scan select histogram radix_sort transform}; do
        (cd "$work" && NVCC_PREPEND_FLAGS="-I$CCCL_DIR" "$tune" run "$here/examples/cub/$name.yaml" --device 0 --no-report --db cub.db \
            --conf cub.conf ${CUB_OPTIONS:---budget 120s} >>cub-show.txt 2>>cub-run.txt) || { status=1; echo "FAILED $name"; }
    done
    record cub "$tune" show --db "$work/cub.db" --wide || status=1
    keep cub.db && cp "$work/cub.conf" "$more/" || status=1
    return $status
}

# The documents' commands, on the GPU.
documents() {
    rm -rf "$work/documents" && mkdir -p "$work/documents/path" "$work/documents/folder" && ln -s "$tune" "$work/documents/path/tune"
    (cd "$work/documents/folder" && PATH=$work/documents/path:$PATH record documents python3 -B "$here/tests/docs/commands.py" "$here" 0)
}
