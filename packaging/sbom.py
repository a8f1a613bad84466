#!/usr/bin/env python3
"""sbom.py VERSION SOURCE: the SPDX document (2.3, JSON) of the portable build, on standard output.

SOURCE is what `tune --version` calls the sources. The libraries are those of libraries.txt, linked into
the program; xxHash is compiled in from its header.
"""

import json
import os
import pathlib
import sys
import time

MIRROR = "https://deb.debian.org/debian/"


def package(name, version, licence, location, **more):
    return {"SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": version, "licenseDeclared": licence,
            "licenseConcluded": licence, "copyrightText": "NOASSERTION", "downloadLocation": location,
            "filesAnalyzed": False, **more}


def main():
    version, source = sys.argv[1:]
    packages = [package("launchtune", version, "MIT", "NOASSERTION", sourceInfo=source)]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-launchtune")]
    for line in (pathlib.Path(__file__).resolve().parent / "libraries.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, library_version, licence, url, sha256 = line.split()
        packages.append(package(name, library_version, licence, MIRROR + url,
                                checksums=[{"algorithm": "SHA256", "checksumValue": sha256}]))
        relations.append(("SPDXRef-launchtune", "STATIC_LINK", f"SPDXRef-{name}"))
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    json.dump({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
               "name": f"launchtune-{version}", "documentNamespace": f"urn:launchtune:{version}:{source}",
               "creationInfo": {"created": created, "creators": ["Tool: packaging/sbom.py"]}, "packages": packages,
               "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                                 for a, kind, b in relations]}, sys.stdout, indent=1)
    print()


main()
