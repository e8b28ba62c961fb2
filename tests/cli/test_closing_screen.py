"""The closing screen of `leanrank select`: one page on which a stranger can read what to ship, and at what risk."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from tests.report.made_up import made_up

from leanrank import make_ranking, select
from leanrank.cli._tables import SHOWN, offered, show_selection
from leanrank.data.catalogue import Catalogue
from leanrank.evaluation.select.selection_views import holds_for

#: The page of a terminal.
LINES, WIDTH = 24, 100
#: What `leanrank select` adds: two files written, and the next command on two lines.
AFTER = 4


def _screen(selection, test=None):
    console = Console(width=WIDTH, record=True, file=io.StringIO())
    show_selection(selection, test, console, Path("features.json"))
    return console.export_text().splitlines()


def test_it_fits_one_page_with_as_many_features_as_people_have():
    names = [f"a feature with quite a long name {j}" for j in range(136)]
    selection, _ = made_up(names, 41)
    test = {"all_features": 0.41, "selected": 0.42, "difference": {"mean": 0.01, "low": -0.01, "high": 0.03}}
    lines = _screen(selection, test)
    assert len(lines) + AFTER <= LINES
    assert max(map(len, lines)) <= WIDTH
    assert "a feature with quite a long name" in " ".join(lines)
    assert " and 3" in " ".join(lines)
    assert len(offered(selection)) == SHOWN


def test_a_catalogue_gives_names_and_no_more_lines():
    """Descriptions, of many lines, are in the report."""
    ids = [str(j) for j in range(1, 137)]
    selection, _ = made_up(ids, 41)
    known = {j: {"name": f"BM25 of field {j}", "description": f"what field {j} says, " * 12} for j in ids}
    named = _screen(replace(selection, catalogue=Catalogue.of_dict(known)))
    assert len(named) + AFTER <= LINES
    first = selection.features[0]
    text = " ".join(" ".join(named).split())
    assert f"Ship: {first}: BM25 of field {first}, " in text
    assert "says" not in text


def test_many_copies_are_counted_on_one_line():
    names = [f"f{j}" for j in range(60)]
    selection, _ = made_up(names, 20)
    kept, rest = selection.features, [name for name in names if name not in selection.features]
    few = replace(selection, stands_for={kept[0]: (rest[0],), kept[1]: (rest[1],)})
    assert f"{kept[1]} stands for {rest[1]}, which orders every query as it does." in _screen(few)
    many = replace(selection, stands_for={name: (rest[i],) for i, name in enumerate(kept)})
    assert "20 features stand for 20 others that order every query alike; the report names them." in _screen(many)
    wide = replace(selection, stands_for={kept[0]: tuple(rest)})
    assert "One feature stands for 40 others that order every query alike; the report names them." in _screen(wide)
    for one in (few, many, wide):
        assert len(_screen(one)) + AFTER <= LINES


def test_it_says_for_which_ranker_the_answer_holds():
    selection, _ = made_up(["one", "two", "three", "four"], 2)
    [line] = [line for line in _screen(selection) if line.startswith("For: ")]
    scaled = "ranksvm with features scaled within each query; another ranker or scaling may need others."
    assert line == f"For:  {scaled}"
    for made, said in (
        ("LightGBMAdapter(n_threads=1)", "lightgbm as it was trained here; another ranker may need others"),
        ("RegressorAdapter(Ridge())", "the ranker as it was trained here; another ranker may need others"),
    ):
        assert holds_for(replace(selection, settings={**selection.settings, "ranker": made})) == said


def test_it_says_what_to_ship_and_what_the_risk_is():
    data, _ = make_ranking(100, n_informative=4, n_redundant=0, n_noise=16, n_constant=2, random_state=6)
    asked = {"methods": ["mrmr-f", "gas"], "cv": 3, "progress": False}
    selection = select(data, "ranksvm", **asked)
    lines = [line.rstrip() for line in _screen(selection)]
    r = selection.recommended
    e = r.estimate
    interval = f"{e['mean']:+.4f} [{e['low']:+.4f}, {e['high']:+.4f}]"
    assert lines[0].startswith(f"{r.k} of 22 features ")
    assert lines[0].endswith(f"NDCG@10: {interval}")  # the honest number comes first
    assert lines[1].split("  ")[-1].strip() == "what is known"
    assert lines[2].split()[:3] == ["safe", "20", "unchanged"]
    assert "drops 2 constant" in lines[2]
    assert lines[3].startswith("> recommended ")
    assert f" {r.k}  {interval}" in lines[3]
    assert "an estimate; certified only at --max-loss 0." in lines[3]
    assert lines[4].startswith("  certified")
    assert "proven: loses at most 0.002" in lines[4]
    assert lines[5] == f"Ship: {', '.join(r.features)}."
    verb = "lose" if e["mean"] < 0 else "gain"
    assert lines[6].startswith(f"Risk: It is expected to {verb} {abs(e['mean']):.4f} NDCG@10 on other queries, and may")
    assert any(
        line.startswith("Why:  the smallest set as good as the best of those that 100 queries show to lose")
        for line in lines
    )
    assert any("0.002 needs about" in line for line in lines)
    path = [line.split() for line in lines[-len(selection.walked) :]]
    assert [int(row[0]) for row in path] == [point.k for point in selection.walked]
    for row in path:  # each with the command that takes it
        assert " ".join(row).endswith(f" leanrank select --from features.json -k {row[0]}")
    assert len(lines) + AFTER <= LINES


def test_words_of_proof_are_kept_for_what_is_proven():
    data, _ = make_ranking(60, n_informative=4, n_redundant=4, n_noise=4, random_state=0)
    asked = {"methods": ["mrmr-f"], "cv": 3, "progress": False}
    small = select(data, "ranksvm", **asked, max_loss=0.3)
    assert small.proven
    assert " features keep NDCG@10" in small.sentence() or small.nested["high"] < 0 or small.nested["low"] > 0
    assert "proven: loses at most 0.3" in "\n".join(_screen(small))
    assert small.chosen.risk == "A loss of more than 0.3 NDCG@10 is ruled out with 95% confidence."
    guess = select(data, "ranksvm", **asked, max_loss=0.0)
    assert not guess.proven
    said = guess.sentence() + guess.chosen.risk
    assert "proven" not in said
    assert " keep " not in said
    assert "nothing smaller is proven to lose at most 0" in "\n".join(_screen(guess))
    safe = guess.with_answer("safe")
    assert not safe.proven
    assert safe.sentence() == "All 12 features: of none is it certain that it changes nothing in NDCG@10"


def test_with_too_few_queries_it_promises_nothing():
    selection, _ = made_up([f"f{j}" for j in range(20)])
    curve = tuple(replace(p, certified_loss=None) if p.on_path and p.k < 20 else p for p in selection.curve)
    unsure = replace(selection.recommended, certified_loss=None, proven=False)
    text = "\n".join(_screen(replace(selection, curve=curve, recommended=unsure)))
    assert "too few queries to prove anything" in text
    assert np.all([row.partition(" leanrank ")[0].split()[-1] == "-" for row in text.splitlines()[-SHOWN:]])


def test_nothing_is_cut_in_a_narrow_terminal():
    selection, _ = made_up([f"f{j}" for j in range(20)])
    console = Console(width=60, record=True, file=io.StringIO())
    show_selection(selection, None, console, Path("a folder with a long name", "features.json"))
    text = console.export_text()
    assert "…" not in text
    for point in offered(selection):
        assert f"leanrank select --from 'a folder with a long name/features.json' -k {point.k}\n" in text
