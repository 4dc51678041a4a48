"""lit over every *.mlir that stands beside what it tests. `tests/run.py` runs it; by hand: lit -Dbuild=build tests"""

import os

import lit.formats

config.name = "treadle"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]

# The suite is the repository; this file only lives in tests/.
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(root, lit_config.params.get("build", "build"))
config.test_source_root = root
config.test_exec_root = os.path.join(build, "lit")
config.excludes = {
    name for name in os.listdir(root) if name.startswith((".", "build", "dist")) or name in ("python", "examples", "docs", "benchmarks")
} | {"testdata", "seeds"}

llvm = "/usr/lib/llvm-22/bin"
for tool, path in (
    ("treadle-opt", os.path.join(build, "bin", "treadle-opt")),
    ("treadle", os.path.join(build, "bin", "treadle")),
    ("FileCheck", os.path.join(llvm, "FileCheck")),
    ("not", os.path.join(llvm, "not")),
    ("split-file", os.path.join(llvm, "split-file")),
):
    config.substitutions.append((rf"(?<![\w/-]){tool}(?![\w-])", path))
for tool in ("treadle", "treadle-opt"):
    if not os.path.exists(os.path.join(build, "bin", tool)):
        lit_config.fatal(f"{tool} is not built in {build}")
