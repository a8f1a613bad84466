# Launches are kept whole whatever way a program gets the driver's functions, and whatever it passes.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/capture/lib.sh"

for way in link dlsym address per_thread library; do
    capture add.cap --keep 4 -- "$way" add
    expect_code 0
    expect_out '^scaled_add +1 +4 +256 +64 +12 KiB +17 +8 +100.0 %'
    expect_out '^4 launches kept:'
    expect_out '^ +1 +scaled_add +4 +256 +3 \(12 KiB\), 1 changed'
    expect_err '^add.cap holds data of the program'
    [[ $(stat -c %a add.cap) == 600 ]] || fail "others may read it"
    dump add.cap
    stream=legacy
    [[ $way != per_thread ]] || stream=per_thread
    expect_out '^kernel 0 scaled_add launches=6 nodes=0 kept=4 timed=0 layout=1 parameters=0\+8,8\+8,16\+8,24\+4,28\+8$'
    expect_out "^launch 0 scaled_add entry=kernel stream=$stream grid=4 block=256 cluster=0 shared=64 .* left_out=0 result=0 device=Stand-in GPU"
    expect_out '^buffer 0.0 device bytes=4000 name= changed=0 left_out=0 before=499500 after=499500$'
    expect_out '^buffer 0.2 device bytes=4000 name= changed=1 left_out=0 before=0 after=3496500$'
    # The second launch begins in the middle of its vectors.
    expect_out '^pointer 1 parameters at=16 buffer=2 offset=2000$'
    # The image, which the program had thrown away by then.
    expect_out '^image 0 kind=0 bytes=69 kept=69 '
done

# One block of parameters, attributes, and pointers in a struct by value.
run "$TUNE" capture -k '*' -o forms.cap -- "$APP" link forms
expect_code 0
dump forms.cap
expect_out '^launch 0 scaled_add entry=kernel .* parameters=36 '
expect_out '^launch 1 view_copy entry=kernel_ex .* cluster=2 .* attributes=1 parameters=24 '
expect_out '^pointer 1 parameters at=8 buffer=0 offset=0$'
expect_out '^buffer 1.1 device .* changed=1 .* before=58705920 after=8386560$'

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
capture graph.cap --keep 1 -- link graph
expect_out '^not recorded: the results of 2 of these launches: they became nodes of graphs$'
expect_out '^not recorded: launches of graphs: .* \(5\)$'
dump graph.cap
expect_out '^launch 0 scaled_add .* stream=capturing '
expect_out '^launch 1 scaled_add .* stream=other .* left_out=0 '
expect_out '^buffer 1.2 .* before=3496500 after=3496500$'

# Modules that are loaded again and again are one image, one kernel.
capture modules.cap -- dlsym modules
dump modules.cap
expect_out '^programs 1 images 1 kernels 1 launches 3$'
expect_out '^kernel 0 scaled_add launches=20 '

# Limits, and which launches.
capture small.cap --max-bytes 9K --keep 1 -- link add
expect_out 'buffers beyond --max-bytes'
dump small.cap
expect_out '^buffer 0.1 device .* left_out=0 before=1498500 '
expect_out '^buffer 0.2 device .* left_out=1 before=none after=none$'
capture skip.cap --skip 4 --keep 9 -- link add
dump skip.cap
expect_out '^programs 1 images 1 kernels 1 launches 2$'
capture sizes.cap --sizes --keep 9 -- link threads
expect_out '^50 launches kept:|^9 launches kept:'

# Only a list: with times on request; no file is written.
run "$TUNE" capture --times -- "$APP" link add
expect_code 0
expect_out '^Kernel +Launches +Share +Each +Grid '
expect_out '^next: tune capture --kernel scaled_add -o scaled_add.cap -- .*capture_app link add$'
refuse_file scaled_add.cap
run "$TUNE" capture --list add.cap
expect_code 0
expect_out '^4 launches kept:'
