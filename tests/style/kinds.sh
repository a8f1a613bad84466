#!/bin/sh
# kinds.sh [ROOT]: outside tuner/device/ no decision depends on the name of a kind of device, so that a new one is a
# folder and a row of tuner/device/kinds.inc (docs/architecture.md, "Adding to it").
set -eu
root=${1:-$(dirname -- "$0")/../..}
cd -- "$root"
kinds=$(sed -n 's/^KIND(\([a-z_]*\),.*/\1/p' tuner/device/kinds.inc | paste -sd '|' -)
[ -n "$kinds" ] || { echo "no kind is in tuner/device/kinds.inc"; exit 1; }

found=0
# By its name in a comparison or a look-up, by its interface or its folder.
if find tuner -path tuner/device -prune -o -name '*.[ch]' -exec \
    grep -HnE "(strn?(case)?cmp|device_(kind|traits|traits_of_section))\(.*\"($kinds)[\":]|\bdevice_($kinds)\b|tuner/device/($kinds)/" {} +; then
    found=1
fi
if find db/queries plots db/schema.sql db/merge.sql tuner -name '*.sql' -exec \
    grep -HnE "(kind|WHEN|IN)\b[^,]*'($kinds)[':]" {} +; then
    found=1
fi
[ "$found" -eq 0 ] || { echo "a capability of tuner/device/traits.h says that of any kind"; exit 1; }
