#!/usr/bin/env python3
"""wheel.py PREFIX VERSION PLATFORM SBOM OUT: the wheel `launchtune` of what is installed under PREFIX.

Everything but the documents goes into the environment's own prefix, so that the program finds its data
as it does anywhere, and shells, man and pkg-config find theirs. The same input gives the same bytes.
"""

import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NAME = "launchtune"
METADATA = """Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: tune finds the fastest correct launch configuration of a CUDA kernel on each device
License-Expression: MIT AND BSD-3-Clause AND BSD-2-Clause AND blessing
License-File: LICENSE
Keywords: CUDA,GPU,kernel,autotuning,launch configuration
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Requires-Python: >=3.8
Provides-Extra: python
Requires-Dist: libtuned=={version}; extra == "python"
Description-Content-Type: text/markdown

{readme}"""


def main():
    prefix, version, platform, sbom, out = sys.argv[1:]
    prefix, info = pathlib.Path(prefix), f"{NAME}-{version}.dist-info"
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")), 315532800))[:6]
    package = HERE.parent / "bindings" / "python"
    files = {str(file.relative_to(package)): (file.read_bytes(), 0o644) for file in (package / NAME).rglob("*.py")}
    for file in prefix.rglob("*"):
        inside = file.relative_to(prefix)
        if not file.is_file() or inside.parts[:2] == ("share", "doc") or inside.parts[2:4] == ("python", NAME):
            continue
        place = f"scripts/{file.name}" if inside.parts[0] == "bin" else f"data/{inside}"
        files[f"{NAME}-{version}.data/{place}"] = (file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
    readme = (HERE.parent / "README.md").read_text("utf-8")
    files[f"{info}/METADATA"] = (METADATA.format(name=NAME, version=version, readme=readme).encode(), 0o644)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: false\n"
                              f"Tag: py3-none-{platform}\n".encode(), 0o644)
    files[f"{info}/licenses/LICENSE"] = ((HERE.parent / "LICENSE").read_bytes(), 0o644)
    files[f"{info}/sboms/{NAME}.spdx.json"] = (pathlib.Path(sbom).read_bytes(), 0o644)
    record = f"{info}/RECORD"
    lines = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
             for name, (data, _) in sorted(files.items())]
    files[record] = (("".join(lines) + f"{record},,\n").encode(), 0o644)
    path = pathlib.Path(out, f"{NAME}-{version}-py3-none-{platform}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name in sorted(files, key=lambda name: (name == record, name)):
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100000 | files[name][1]) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[name][0])
    print(path)


main()
