# Launches are kept whole whatever way a program gets the driver's functions, and whatever it passes.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/capture/lib.sh"

# kept FILE [OPTION...] -- WAY WHAT...: the list of a capture and its content.
kept() {
    capture "$@"
    keep_golden ''
    dump "$1"
    keep_golden ''
}

# Of these launches, the second begins in the middle of its vectors; the image is there, which the program had thrown away by then.
for way in link dlsym address per_thread library; do
    kept add.cap --keep 4 -- "$way" add
    [[ $(stat -c %a add.cap) == 600 ]] || fail "others may read it"
done

# One block of parameters, attributes, and pointers in a struct by value.
golden "$TUNE" capture -k '*' -o forms.cap -- "$APP" link forms
golden "$DUMP" forms.cap

# Variables of the image, managed and pinned memory, and an address in a buffer with its target.
capture memory.cap -- address memory
dump memory.cap
expect_out '^buffer 0.0 managed bytes=4000 '
expect_out '^buffer 0.1 host bytes=4000 '
expect_out '^buffer 0.[0-9] constant bytes=16 name=steps .* before=10 after=10$'
expect_out '^buffer 0.[0-9] constant bytes=8 name=own::bias .* before=7 after=7$'
expect_out '^pointer 0 buffer 0 at=0 buffer=5 offset=0$'
expect_out '^buffer 0.5 device bytes=4000 .* before=1498500 '

# Launches that become nodes of graphs: parameters, no contents; one that runs afterwards is kept as ever.
kept graph.cap --keep 1 -- link graph

# Modules that are loaded again and again are one image, one kernel.
kept modules.cap -- dlsym modules

# Limits, and which launches.
kept small.cap --max-bytes 9K --keep 1 -- link add
kept skip.cap --skip 4 --keep 9 -- link add
capture sizes.cap --sizes --keep 9 -- link threads
expect_out '^50 launches kept:|^9 launches kept:'

# Only a list: with times on request; no file is written.
run "$TUNE" capture --times -- "$APP" link add
expect_code 0
expect_out '^Kernel +Launches +Share +Each +Grid '
expect_out '^next: tune capture --kernel scaled_add -o scaled_add.cap -- .*capture_app link add$'
refuse_file scaled_add.cap
golden "$TUNE" capture --list add.cap
expect_golden
