"""summary.py FOLDER SECONDS: what .ci/run did in so many seconds, from its steps (FOLDER/steps: seconds, exit code, name) and
what ctest says of each test (FOLDER/*.xml, as JUnit): the steps' times, the ten slowest tests, what failed, and the count as
the last line."""
import pathlib
import re
import sys
import xml.etree.ElementTree

folder = pathlib.Path(sys.argv[1])
steps = [line.split("\t") for line in (folder / "steps").read_text().splitlines()]
inputs = []  # (a fuzz target, inputs that it was given, crashes)
tests = []  # (seconds, status, the build's name and the test's)
for path in sorted(folder.glob("*.xml")):
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        status, skipped = case.get("status"), case.find("skipped")
        if status == "notrun" and not (skipped is not None and (skipped.get("message") or "").startswith("SKIP_")):
            status = "fail"  # its program is not there
        executed = re.search(r"number_of_executed_units: +(\d+)", case.findtext("system-out") or "")
        if (case.get("name") or "").startswith("fuzz."):
            inputs.append((case.get("name")[5:], int(executed[1]) if executed else 0, int(status == "fail")))
        tests.append((float(case.get("time") or 0), status, f"{case.get('name')} ({path.stem})"))
broken_steps = [name for _, code, name in steps if code != "0"]
failed = [name for _, status, name in tests if status == "fail"]

print("\nsteps:")
for seconds, code, name in steps:
    print(f"{int(seconds):6} s  {name}" + ("" if code == "0" else f"  FAILED (exit code {code})"))
print(f"{int(sys.argv[2]):6} s  together")
if inputs:
    print("\nfuzzing:              inputs  crashes")
    for name, count, crashed in sorted(inputs):
        print(f"{name:18} {count:9}  {crashed:7}")
print("\nthe slowest tests:")
for seconds, _, name in sorted(tests, reverse=True)[:10]:
    print(f"{seconds:8.1f} s  {name}")
if failed:
    print("\nfailed:", *sorted(failed), sep="\n    ")
# A step that failed by no test of its own counts as one: the count must not look well when the build did not come so far.
others = [name for name in broken_steps if "test" not in name or not failed]
if others:
    print("\nsteps that failed:", *others, sep="\n    ")
skipped = sum(status in ("notrun", "disabled") for _, status, _ in tests)
passed = sum(status == "run" for _, status, _ in tests)
print(f"\n{skipped} skipped")
print(f"{passed} passed, {len(failed) + len(others)} failed")
