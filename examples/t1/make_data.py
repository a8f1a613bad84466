#!/usr/bin/env python3
"""Writes ArgumentData.bin, the vector b of ktt-tutorial03.json, into the folder given (else this
one): 1048576 floats, b[i] = i, so that a + b + 3 is the 2 * i + 3 that the file expects."""
import array
import os
import sys

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "ArgumentData.bin"), "wb") as data:
    array.array("f", range(1 << 20)).tofile(data)
