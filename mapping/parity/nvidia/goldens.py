"""The recorded answers, and where ours are known and meant to differ."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import golden
from ..options import ParityError

FOLDER = Path(golden.PATH).parent
SWEEP, PROBES = FOLDER / "types.json", FOLDER / "probes.json"
FORMAT = 1


@lru_cache(maxsize=2)
def recorded(path: Path) -> dict[str, Any]:
    """`seen_on`, and `answers` by function or group; empty where nothing was recorded."""
    if not path.exists():
        return {"seen_on": "", "answers": {}}
    raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if raw.get("format") != FORMAT:
        raise ValueError(f"{path.name}: expected format {FORMAT}, found {raw.get('format')!r}")
    return raw


def lines(reports: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """The lines of reports; a last one that was cut off is left out."""
    for path in reports:
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(text)
            except ValueError:
                return


def seen_on(found: Iterable[dict[str, Any]]) -> str:
    """`cuBLAS 13.1.0 with the CUDA 13.0 runtime, NVIDIA H200`."""
    for line in found:
        if line["what"] == "versions":
            cublas, runtime = line["cublas"], line["runtime"]
            version = f"{cublas // 10000}.{cublas // 100 % 100}.{cublas % 100}"
            return f"cuBLAS {version} with the CUDA {runtime // 1000}.{runtime % 1000 // 10} runtime, {line['card']}"
    return ""


def keep(reports: list[Path]) -> list[str]:
    """Put reports into the goldens. What they do not speak of stays. Answers what was written."""
    found = list(lines(reports))
    where = seen_on(found)
    for line in found:
        if line["what"] == "versions" and (not line["seen"] or "dragoman" in line["card"]):
            raise ParityError(f"{line['card']} answered, not NVIDIA's libraries: nothing is kept")
    if not where:
        raise ParityError("no version in these reports: expected what `--out` wrote")
    sweeps = {x["function"]: {k: x[k] for k in ("columns", "answers")} for x in found if x["what"] == "sweep"}
    for line in found:
        if line["what"] == "judged":
            sweeps[line["function"]]["numbers"] = line["tuples"]
    _write(SWEEP, where, sweeps)
    _write(PROBES, where, {x["group"]: x["steps"] for x in found if x["what"] == "probes"})
    results = [x["result"] for x in found if x["what"] == "suite"]
    statuses = golden.merged(golden.recorded(), golden.gather([{"library": "cublas", "results": results}]))
    golden.PATH.write_text(golden.text(statuses, where), encoding="utf-8")
    return [f"wrote {path}" for path in (SWEEP, PROBES, golden.PATH)]


def _write(path: Path, where: str, answers: dict[str, Any]) -> None:
    kept = {**recorded(path)["answers"], **answers}
    head = json.dumps({"format": FORMAT, "seen_on": where})
    rows = ",\n".join(f" {json.dumps(k)}: {_row(v)}" for k, v in sorted(kept.items()))
    path.write_text(f'{head[:-1]}, "answers": {{\n{rows}\n}}}}\n', encoding="utf-8")
    recorded.cache_clear()


def _row(value: Any) -> str:
    """Probes: a step a line."""
    if isinstance(value, list):
        return "[\n" + ",\n".join("  " + json.dumps(step, ensure_ascii=False) for step in value) + "\n ]"
    return json.dumps(value)


def summary(reports: Iterable[Path]) -> list[str]:
    """What a run found, in a few lines."""
    found = list(lines(reports))
    told = [seen_on(found)]
    counts = Counter(line["what"] for line in found)
    told.append(", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    for line in found:
        if line["what"] == "failed":
            told.append(f"{line['name']}: {line['why']}")
        if line["what"] == "judged":
            wrong = [t for t in line["tuples"] if "right" not in (t[1], t[2]) and t[1] != "unjudged"]
            told.append(f"{line['function']}: takes {len(line['tuples'])} tuples, {len(wrong)} not as the oracle says")
            told += [f"    {t}" for t in wrong[:5]]
        if line["what"] == "suite":
            result = line["result"]
            numbers = result["numbers"]
            if numbers and numbers["state"] not in ("pass", "none"):
                told.append(f"{result['name']} numbers: {numbers['state']}: {'; '.join(numbers['lines'][:2])}")
            for status in result["statuses"]:
                if status["state"] not in ("pass", "none"):
                    told.append(
                        f"{result['name']} {status['case']}: {status['got']}, expected {status['expected']} "
                        f"{status['state']} {'; '.join(status['notes'])}"
                    )
    return told
