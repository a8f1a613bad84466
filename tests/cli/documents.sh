#!/bin/bash
# What the documents tell people to type is run, as far as there is no GPU; tests/gpu/run.sh runs it whole.
source "$TUNE_TESTS/lib.sh"
mkdir path folder
ln -s "$TUNE" path/tune
cd folder || exit
PATH=$PWD/../path:$PATH TUNE_DATA_DIR=$TUNE_SOURCE python3 -B "$TUNE_SOURCE/tests/docs/commands.py" "$TUNE_SOURCE"
