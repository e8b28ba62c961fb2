"""What is in the built archives: everything the package needs, and nothing else."""

from __future__ import annotations

import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

#: Files of a working copy that no archive may hold.
STRAY = ("__pycache__", ".venv", ".pyc", ".nbi", ".nbc", ".db", ".ci/", "shared/", "leanrank-demo")


def main(folder: Path) -> None:
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = {name for name in archive.namelist() if not name.endswith("/")}
        broken = archive.testzip()
    with tarfile.open(source) as archive:
        in_source = {member.name.split("/", 1)[1] for member in archive.getmembers() if member.isfile()}
    code = {path.relative_to("src").as_posix() for path in Path("src/leanrank").rglob("*") if path.is_file()}
    code = {name for name in code if not any(stray in name for stray in STRAY)}
    packaged = {name for name in in_wheel if ".dist-info/" not in name}
    needed = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "CITATION.cff", "Makefile"}
    wrong = [f"the wheel lacks {name}" for name in sorted(code - packaged)]
    wrong += [f"the wheel has {name}" for name in sorted(packaged - code)]
    wrong += [f"the sdist lacks src/{name}" for name in sorted(code) if f"src/{name}" not in in_source]
    wrong += [f"the sdist lacks {name}" for name in sorted(needed - in_source)]
    wrong += [f"an archive has {n}" for n in sorted(in_wheel | in_source) if any(stray in n for stray in STRAY)]
    version = next(
        line for line in Path("src/leanrank/__init__.py").read_text().splitlines() if "__version__ =" in line
    )
    number = version.split('"')[1]
    for place in ("CHANGELOG.md", "CITATION.cff"):
        if number not in Path(place).read_text(encoding="utf-8"):
            wrong.append(f"{place} does not know version {number}")
    licences = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["license-files"]
    wrong += [f"the wheel lacks {name}" for name in licences if not any(n.endswith(f"/{name}") for n in in_wheel)]
    if broken is not None:
        wrong.append(f"{broken} in the wheel is damaged")
    print(f"{wheel.name}: {len(in_wheel)} files, {source.name}: {len(in_source)} files")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
