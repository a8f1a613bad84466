# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# What a search of the wide space of reductions finds (tests/gpu/wide/reduce.yaml), from nothing and with a cache of
# binaries of its own, as a run does it by itself: first in the same rounds as the best that a recording of the shipped
# space knows for this model of device. Some 190 s and then 100.

# WIDE_SHIPPED (winners that its searches try, instead of configs/tuned.conf: those of other boards only, say),
# WIDE_PROBLEMS, WIDE_SIZES, WIDE_OPTIONS; WIDE_KNOWN (a recording: tune.db.xz), WIDE_SECONDS (that the search may take).
# WIDE_POINTS (of each problem: auto, or a number; several: a run each): instead of that, all of the shipped space is
# measured in the same sitting, some 4 minutes, and the winners' times are compared.
wide() {
    local status=0 points names=() folder=$work/wide/data
    mkdir -p "$folder/configs"
    ln -sfn "$here/kernels" "$folder/kernels"
    ln -sfn "$here/include" "$folder/include"
    cp "$here/tests/gpu/wide/reduce.yaml" "$folder/configs/"
    cp "${WIDE_SHIPPED:-$here/configs/tuned.conf}" "$folder/configs/tuned.conf"
    if [ -z "${WIDE_POINTS:-}" ]; then
        wide_run wide "$folder" && record wide wide_duel "$folder" || status=$?
        grep -hE '^tune: |does not hold here' "$work/wide/wide.txt"
        return $status
    fi
    wide_run shipped "$here" || status=$?
    for points in $WIDE_POINTS; do
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
wide_duel() { # data-folder
    local status=0 duel=$here/tests/gpu/wide/duel.py known=db/recorded/nvidia-h100/tune.db.xz
    if [ -f "$here/$known" ]; then known=$here/$known; else known=$build/$known; fi # of a checkout, or packed
    cd "$work/wide" || return 1
    python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open("recorded.db", "wb"))' \
        "${WIDE_KNOWN:-$known}" && "$tune" merge known.db recorded.db >/dev/null 2>&1 &&
        python3 "$duel" entries wide.db wide.conf >duel.conf || return 1
    TUNE_DATA_DIR=$1 TUNE_CACHE_DIR=$work/wide/cache-wide "$tune" check duel.conf "$1/configs/reduce.yaml" --device 0 \
        --from known.db --db duel.db --effort normal --set within=0.0025 --budget 200s 2>&1 || status=$?
    python3 "$duel" times wide.db duel.db "${WIDE_SECONDS:-190}" || status=$?
    return $status
}
