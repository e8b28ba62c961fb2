"""features.json: one format for one method and for `select`; every version of it is read."""

import json

import pytest

from leanrank import FSSCPR, GAS, load_selection, make_ranking
from leanrank.cli.app import run
from leanrank.errors import DataError
from leanrank.selectors.features_file import FORMAT, VERSION, read_names, read_record, read_selection

#: As `leanrank order` wrote it before files had a version.
VERSION_0 = """{
  "method": "GAS", "version": "0.1.0", "parameters": {"n_features_to_select": 2, "c": 0.1}, "n_features_in": 4,
  "names": ["3", "1"], "ids": [3, 1], "indices": [2, 0], "scores": [0.5, 0.25],
  "trace": [
    {"feature": 2, "name": "3", "score": 0.5, "gain": 0.5, "reason": "most important"},
    {"feature": 0, "name": "1", "score": 0.25, "gain": 0.2, "reason": "next"},
    {"feature": 3, "name": "4", "score": 0.125, "gain": 0.1, "reason": "last"}
  ],
  "dropped": ["2"], "seed": 0, "data": "train.txt", "fingerprint": "abc"
}"""

#: As `leanrank select` wrote it in version 1, in which orders of one method had none.
VERSION_1 = """{
  "format": "leanrank-selection", "format_version": 1, "method": "gas", "measured_k": 1,
  "names": ["bm25"], "ids": [2], "indices": [1], "n_features_in": 3,
  "sentence": "1 of 3 features keep NDCG@10: -0.0010 [-0.0030, +0.0010]", "proven": true,
  "reason": "the smallest set that loses at most 0.002 with 95% confidence (one-sided bound -0.0015)",
  "provable": null,
  "versus_all": {"mean": -0.001, "low": -0.003, "high": 0.001, "low_one_sided": -0.0015, "p": 0.04, "n_queries": 300},
  "nested": {"mean": -0.0012, "low": -0.003, "high": 0.001, "low_one_sided": -0.0017, "p": 0.05, "n_queries": 300},
  "baseline": {"n_features": 3, "cost": 3.0, "mean": 0.5}, "cost": 1.0,
  "path": ["bm25", "age", "clicks"], "dropped": ["age", "clicks"],
  "curve": [
    {"method": "gas", "k": 1, "cost": 1.0, "mean": 0.499, "difference": -0.001, "low": -0.003, "high": 0.001,
     "bound": -0.0015, "per_fold": [0.5, 0.498]},
    {"method": "all features", "k": 3, "cost": 3.0, "mean": 0.5, "difference": 0.0, "low": 0.0, "high": 0.0,
     "bound": 0.0, "per_fold": [0.5, 0.5]}
  ],
  "pareto": [
    {"method": "gas", "k": 1, "cost": 1.0, "mean": 0.499, "difference": -0.001, "low": -0.003, "high": 0.001,
     "bound": -0.0015, "per_fold": [0.5, 0.498]}
  ],
  "stability": {"nogueira": 1.0, "low": 1.0, "high": 1.0, "frequency": {"bm25": 1.0}},
  "losers": [{"query": "7", "all_features": 0.9, "selected": 0.7}],
  "per_query": {"better": 10, "worse": 12, "same": 278, "edges": [-0.2, 0.0, 0.2], "counts": [12, 10]},
  "feature_names": ["age", "bm25", "clicks"],
  "settings": {"fingerprint": "abc", "ranker": "RankSVM()", "metric": "NDCG(k=10)", "metric_name": "ndcg@10",
    "methods": ["gas"], "n_features": null, "max_loss": 0.002, "level": 0.95, "cv": 2, "random_state": 0,
    "effort": "normal", "valid": null, "costs": null, "groups": null, "budget": null, "must_keep": [], "never": [],
    "version": "0.1.0"},
  "seconds": 1.5
}"""


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "features.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def test_the_order_of_one_method_and_select_write_one_format(tmp_path):
    data, _ = make_ranking(20, n_informative=2, n_redundant=1, n_noise=3, random_state=0)
    record = GAS(2).fit(data).to_dict()
    assert (record["format"], record["format_version"], record["kind"]) == (FORMAT, VERSION, "ordered")
    assert record["feature_names"] == list(data.feature_names)
    assert record["path"][:2] == record["names"]
    assert len(record["path"]) == data.n_features
    measured = load_selection(_put(tmp_path, VERSION_1)).to_dict()
    assert (measured["format"], measured["format_version"], measured["kind"]) == (FORMAT, VERSION, "measured")
    assert {"names", "ids", "indices", "n_features_in", "feature_names", "path"} <= record.keys() & measured.keys()


def _put(folder, text):
    (folder / "old.json").write_text(text)
    return folder / "old.json"


def test_sets_that_are_not_nested_have_no_longer_path():
    data, _ = make_ranking(20, n_informative=2, n_redundant=1, n_noise=3, random_state=0)
    record = FSSCPR(2).fit(data).to_dict()
    assert record["path"] == record["names"]


def test_the_order_of_one_method_without_a_version_is_read(written):
    path = written(VERSION_0)
    record = read_record(path)
    assert (record["format_version"], record["kind"]) == (VERSION, "ordered")
    assert record["path"] == ["3", "1", "4"]
    assert record["feature_names"] == ["1", "2", "3", "4"]
    assert read_names(path) == (["3", "1"], 4)
    assert read_selection(path).n_features_in == 4
    with pytest.raises(DataError, match="order of one method, which measured nothing"):
        load_selection(path)


def test_names_written_by_hand_are_read(written):
    path = written({"names": ["bm25", "age"]})
    assert read_names(path) == (["bm25", "age"], None)
    assert read_record(path)["path"] == ["bm25", "age"]
    with pytest.raises(DataError, match="'ids' are whole numbers"):
        read_selection(path)


def test_the_first_answers_of_select_are_read(written):
    selection = load_selection(written(VERSION_1))
    assert selection.features == ("bm25",)
    assert (selection.answer, selection.method, selection.path_method) == ("recommended", "gas", "gas")
    assert selection.nested["mean"] == -0.0012  # what did not choose comes first
    assert selection.certified.features == ("bm25",)
    assert selection.safe.features == ("age", "bm25", "clicks")
    assert [(point.k, point.on_path, point.certified_loss) for point in selection.curve] == [
        (1, True, 0.0015),
        (3, True, 0.0),
    ]
    assert selection.losers == ({"query": "7", "all_features": 0.9, "selected": 0.7},)
    assert selection.within(0.001).certified.k == 3
    assert selection.at(2).reason.endswith(
        "it lies between 1 (-0.0010 [-0.0030, +0.0010]) and 3 (+0.0000 [+0.0000, +0.0000])"
    )
    assert selection.to_dict()["format_version"] == VERSION
    assert load_selection(written(selection.to_json())).to_dict() == selection.to_dict()


def test_answers_from_before_bounds_and_measured_sizes(written):
    record = json.loads(VERSION_1)
    del record["measured_k"], record["provable"], record["per_query"]
    for point in record["curve"] + record["pareto"]:
        del point["bound"]
    selection = load_selection(written(record))
    assert selection.measured_k == 1
    assert selection.curve[0].certified_loss == 0.003


def test_old_files_serve_every_command(written, tmp_path, capsys):
    data = tmp_path / "judged.csv"
    data.write_text("label,qid,age,bm25,clicks\n1,7,1,2,3\n0,7,2,1,0\n1,8,4,2,1\n0,8,3,1,2\n")
    assert run(["convert", str(data), "--features", str(written(VERSION_1)), "-o", str(tmp_path / "few.csv")]) == 0
    assert (tmp_path / "few.csv").read_text().splitlines()[0] == '"label","qid","bm25"'
    assert run(["report", str(written(VERSION_1)), "-o", str(tmp_path / "report.md")]) == 0
    assert "bm25" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format_version": VERSION + 1}, f"format {VERSION + 1}, written by a later leanrank.*Update leanrank"),
        ({"format_version": "1"}, "'format_version' must be a whole number"),
        ({"format": "leanrank-ranker"}, "not a selection"),
        ({"names": ["bm25", "bm25"]}, "'names' must differ"),
        ({"format_version": VERSION, "kind": "other"}, "'kind' must be 'measured' or 'ordered'"),
        ({"curve": [{}]}, "curve"),
        ({"curve": 3}, "curve"),
    ],
)
def test_refusals(written, change, sentence):
    with pytest.raises(DataError, match=sentence):
        load_selection(written(json.loads(VERSION_1) | change))
