# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# Results of searches of the shipped spaces, without earlier results and with a cache of binaries of its own, as a run
# does by default, in the same rounds as the best of the recording of this model of device (of reduce and others, of the
# spaces that hindsight had reduced). Of reduce some 160 s and then 60.

# WIDE_FAMILY (reduce; several), WIDE_SHIPPED (winners that its searches try, instead of configs/tuned.conf: those of
# other boards only, say), WIDE_PRIOR (rankings instead of the shipped ones, for WIDE_OPTIONS="--prior recorded"; as on
# an untuned board: "--prior others"), WIDE_PROBLEMS, WIDE_SIZES or WIDE_SIZES_FAMILY (of that family), WIDE_OPTIONS;
# WIDE_KNOWN (a recording instead of the device's own), WIDE_SECONDS (for the search of a family).
wide() {
    local status=0 family
    for family in ${WIDE_FAMILY:-reduce}; do
        wide_family "$family" || status=$?
    done
    return $status
}
wide_family() { # family
    local family=$1 status=0 recording
    recording=$(wide_recording "$family") || return 1 # before the search, which would be in vain
    wide_data "$family" || return 1
    wide_run "$family" && record "wide-$family" wide_duel "$family" "$recording" || status=$?
    grep -hE '^tune: |does not hold here' "$work/wide/$family/wide.txt"
    return $status
}
# The folder of data that a search goes by.
wide_data() { # family
    local folder=$work/wide/$1/data
    local prior
    prior=${WIDE_PRIOR:-$(wide_recorded)/prior.db}
    mkdir -p "$folder/configs" "$folder/db/recorded"
    if [ -n "${WIDE_PRIOR:-}" ] || [ -e "$prior" ]; then cp "$prior" "$folder/db/recorded/prior.db" || return 1; fi
    ln -sfn "$here/kernels" "$folder/kernels"
    ln -sfn "$here/include" "$folder/include"
    cp "$here/configs/$1.yaml" "$folder/configs/" && cp "${WIDE_SHIPPED:-$here/configs/tuned.conf}" "$folder/configs/tuned.conf"
}
# The recording that knows a family best on this device: of a checkout, or packed.
wide_recording() { # family
    local name=families.db.xz
    if [ -n "${WIDE_KNOWN:-}" ]; then realpath "$WIDE_KNOWN"; return; fi
    case "$1" in
    reduce) name=tune.db.xz ;;
    reduce_segments) name=segments.db.xz ;;
    esac
    "$tune" devices --device 0 --json | python3 "$here/tests/gpu/wide/duel.py" recording "$(wide_recorded)" "$name"
}
wide_recorded() {
    if [ -d "$here/db/recorded" ]; then echo "$here/db/recorded"; else echo "$build/db/recorded"; fi
}
# Problems of a family among WIDE_PROBLEMS; else those of a default run.
wide_problems() { # family
    local problem found=
    for problem in ${WIDE_PROBLEMS:-}; do
        case "$problem" in "$1" | "$1".*) found+=" $problem" ;; esac
    done
    case "$1" in reduce) echo "${found:-reduce.sum.i32 reduce.sum.f32}" ;; *) echo "${found:-$1}" ;; esac
}
wide_run() { # family
    local at=$work/wide/$1 of_family=WIDE_SIZES_$1 sizes
    sizes=${!of_family:-${WIDE_SIZES:-}}
    # shellcheck disable=SC2046,SC2086 # options are words
    (cd "$at" && TUNE_DATA_DIR=$at/data TUNE_CACHE_DIR=$at/cache-wide "$tune" run $(wide_problems "$1") \
        --device 0 --no-report ${sizes:+--sizes "$sizes"} \
        --db wide.db --conf wide.conf ${WIDE_OPTIONS:-} >/dev/null 2>wide.txt)
}
wide_duel() { # family recording
    local status=0 duel=$here/tests/gpu/wide/duel.py at=$work/wide/$1
    cd "$at" || return 1
    python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open("recorded.db", "wb"))' "$2" &&
        "$tune" merge known.db recorded.db >/dev/null 2>&1 &&
        python3 "$duel" entries wide.db wide.conf >duel.conf || return 1
    TUNE_DATA_DIR=$at/data TUNE_CACHE_DIR=$at/cache-wide "$tune" check duel.conf "$at/data/configs/$1.yaml" --device 0 \
        --from known.db --db duel.db --effort normal --set within=0.0025 --budget 200s 2>&1 || status=$?
    python3 "$duel" times wide.db duel.db "${WIDE_SECONDS:-190}" || status=$?
    return $status
}
