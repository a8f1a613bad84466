# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# What searches of wide spaces find (tests/gpu/wide/FAMILY.yaml: families without hindsight; the shipped file, where there
# is none), from nothing and with a cache of binaries of its own, as a run does it by itself: first in the same rounds as
# the best that the recording of this model of device knows of the shipped space. Of reduce some 190 s and then 100.

# WIDE_FAMILY (reduce; several), WIDE_SHIPPED (winners that its searches try, instead of configs/tuned.conf: those of other
# boards only, say), WIDE_PROBLEMS, WIDE_SIZES or WIDE_SIZES_FAMILY (of that family), WIDE_OPTIONS; WIDE_KNOWN (a recording
# instead of the device's own), WIDE_SECONDS (that the search of a family may take).
# WIDE_POINTS (of each problem: auto, or a number; several: a run each): instead of that, all of the shipped space is
# measured in the same sitting, some 4 minutes, and the winners' times are compared.
wide() {
    local status=0 family
    for family in ${WIDE_FAMILY:-reduce}; do
        if [ -n "${WIDE_POINTS:-}" ]; then wide_shipped "$family" || status=$?; else wide_family "$family" || status=$?; fi
    done
    return $status
}
wide_family() { # family
    local family=$1 status=0 folder=$work/wide/$1/data recording
    recording=$(wide_recording "$family") || return 1 # before the search, which would be for nothing
    wide_data "$family" || return 1
    wide_run "$family" wide "$folder" && record "wide-$family" wide_duel "$family" "$recording" || status=$?
    grep -hE '^tune: |does not hold here' "$work/wide/$family/wide.txt"
    return $status
}
wide_shipped() { # family
    local family=$1 status=0 points names=()
    wide_data "$family" || return 1
    wide_run "$family" shipped "$here" || status=$?
    for points in $WIDE_POINTS; do
        case "$points" in
        auto) wide_run "$family" wide-auto "$work/wide/$family/data" || status=$? ;;
        *) wide_run "$family" "wide-$points" "$work/wide/$family/data" --points "$points" || status=$? ;;
        esac
        names+=("$work/wide/$family/wide-$points.db")
    done
    grep -hE 'problems, |in the product' "$work/wide/$family"/*.txt
    record "wide-$family" python3 "$here/tests/gpu/wide/table.py" "$work/wide/$family/shipped.db" "${names[@]}" || status=$?
    return $status
}
# The folder of data that a search goes by.
wide_data() { # family
    local family=$1 folder=$work/wide/$1/data file=$here/tests/gpu/wide/$1.yaml
    if [ ! -f "$file" ]; then file=$here/configs/$family.yaml; fi
    mkdir -p "$folder/configs"
    ln -sfn "$here/kernels" "$folder/kernels"
    ln -sfn "$here/include" "$folder/include"
    cp "$file" "$folder/configs/" && cp "${WIDE_SHIPPED:-$here/configs/tuned.conf}" "$folder/configs/tuned.conf"
}
# The recording that knows a family best on this device: of a checkout, or packed.
wide_recording() { # family
    local recorded=$here/db/recorded name=families.db.xz
    if [ -n "${WIDE_KNOWN:-}" ]; then realpath "$WIDE_KNOWN"; return; fi
    if [ ! -d "$recorded" ]; then recorded=$build/db/recorded; fi
    case "$1" in
    reduce) name=tune.db.xz ;;
    reduce_segments) name=segments.db.xz ;;
    esac
    "$tune" devices --device 0 --json | python3 "$here/tests/gpu/wide/duel.py" recording "$recorded" "$name"
}
# Of WIDE_PROBLEMS those of a family; else what a run of it does by itself.
wide_problems() { # family
    local problem found=
    for problem in ${WIDE_PROBLEMS:-}; do
        case "$problem" in "$1" | "$1".*) found+=" $problem" ;; esac
    done
    case "$1" in reduce) echo "${found:-reduce.sum.i32 reduce.sum.f32}" ;; *) echo "${found:-$1}" ;; esac
}
wide_run() { # family name data-folder options...
    local family=$1 name=$2 folder=$3 at=$work/wide/$1 of_family=WIDE_SIZES_$1 sizes
    shift 3
    sizes=${!of_family:-${WIDE_SIZES:-}}
    mkdir -p "$at"
    # shellcheck disable=SC2046,SC2086 # options are words
    (cd "$at" && TUNE_DATA_DIR=$folder TUNE_CACHE_DIR=$at/cache-$name "$tune" run $(wide_problems "$family") \
        --device 0 --no-report ${sizes:+--sizes "$sizes"} \
        --db "$name.db" --conf "$name.conf" "$@" ${WIDE_OPTIONS:-} >/dev/null 2>"$name.txt")
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
