# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# What a search of the wide space of reductions finds (tests/gpu/wide/reduce.yaml), against all of the shipped one: in
# one sitting, each from nothing, with a cache of binaries of its own.

# WIDE_PROBLEMS, WIDE_SIZES, WIDE_POINTS (of each problem: auto, as a run has it by itself, or a number; several: a run each), WIDE_OPTIONS.
wide() {
    local status=0 points names=() folder=$work/wide/data
    mkdir -p "$folder/configs"
    ln -sfn "$here/kernels" "$folder/kernels"
    ln -sfn "$here/include" "$folder/include"
    cp "$here/tests/gpu/wide/reduce.yaml" "$folder/configs/"
    wide_run shipped "$here" || status=$?
    for points in ${WIDE_POINTS:-auto}; do
        case "$points" in
        auto) wide_run wide-auto "$folder" || status=$? ;;
        *) wide_run "wide-$points" "$folder" --points "$points" || status=$? ;;
        esac
        names+=("$work/wide/wide-$points.db")
    done
    grep -hE 'problems, |in the product' "$work"/wide/*.txt
    record wide python3 "$here/tests/gpu/wide/table.py" "$work/wide/shipped.db" "${names[@]}" || status=$?
    return $status
}
wide_run() { # name data-folder options...
    local name=$1 folder=$2
    shift 2
    # shellcheck disable=SC2086 # options are words
    (cd "$work/wide" && TUNE_DATA_DIR=$folder TUNE_CACHE_DIR=$work/wide/cache-$name "$tune" run \
        ${WIDE_PROBLEMS:-reduce.sum.i32 reduce.sum.f32} --device 0 --no-report \
        --sizes "${WIDE_SIZES:-2**10,2**12,2**14,2**16,2**18,2**20,2**22,2**24,2**26,10**8,2**28}" \
        --db "$name.db" --conf "$name.conf" "$@" ${WIDE_OPTIONS:-} >/dev/null 2>"$name.txt")
}
