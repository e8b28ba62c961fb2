"""The base of the rankers: early stopping, scoring, routing, the registry, files."""

import json

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.rankers.conformance import judged

from leanrank import RankingData, RankSVM, load_ranker, rankers
from leanrank.errors import DataError, ParameterError, UnknownNameError
from leanrank.metrics import metric
from leanrank.rankers import KernelRankSVM
from leanrank.rankers._early_stopping import EarlyStopping


def test_early_stopping_keeps_the_best_and_of_equals_the_earliest():
    data = RankingData(np.zeros((3, 1)), [2, 1, 0], [0, 3])
    watch = EarlyStopping(data, "ndcg@3", patience=2)
    right, wrong = np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0])
    assert watch.improved(wrong)
    assert watch.improved(right)
    assert not watch.improved(right)
    assert not watch.exhausted
    assert not watch.improved(wrong)
    assert watch.exhausted
    assert watch.best_iteration == 1
    assert watch.history[1] == 1.0
    with pytest.raises(ParameterError, match=r"early_stopping_rounds must be at least 1 or None. Got 0"):
        EarlyStopping(data, patience=0)


def test_early_stopping_without_any_judged_query_keeps_the_first():
    watch = EarlyStopping(RankingData(np.zeros((2, 1)), [0, 0], [0, 2]), "map")
    assert watch.improved(np.zeros(2))
    assert not watch.improved(np.zeros(2))
    assert watch.best_iteration == 0


def test_score_is_the_metric_of_the_predictions():
    data = judged()
    ranker = RankSVM().fit(data)
    expected = metric("map")(data.y, ranker.predict(data), qid=data.qid)
    assert ranker.score(data, metric="map") == pytest.approx(expected, abs=1e-15)
    assert ranker.score(data.X, data.y, qid=data.qid, metric=metric("map")) == pytest.approx(expected, abs=1e-15)


def test_qid_is_routed_through_a_pipeline_and_cross_validation():
    data = judged()
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = RankSVM().set_fit_request(qid=True).set_score_request(qid=True)
        pipeline = make_pipeline(StandardScaler(), ranker).fit(data.X, data.y, qid=data.qid)
        folds = KFold(4)  # 16 queries of 10 rows: no fold cuts a query
        assert cross_val_score(ranker, data.X, data.y, params={"qid": data.qid}, cv=folds).min() > 0.9
    scaled = StandardScaler().fit_transform(data.X)
    by_hand = RankSVM().fit(scaled, data.y, qid=data.qid)
    np.testing.assert_array_equal(pipeline[-1].coef_, by_hand.coef_)


def test_refitting_on_arrays_forgets_the_names():
    data = judged()
    ranker = RankSVM().fit(data)
    assert ranker.feature_names_in_.tolist() == ["1", "2", "3", "4"]
    ranker.fit(data.X, data.y, qid=data.qid)
    assert not hasattr(ranker, "feature_names_in_")


def test_the_registry_knows_names_loosely_and_parameters_exactly():
    assert isinstance(rankers.get("Rank-SVM", C=2.0), RankSVM)
    assert rankers.get("ranksvm", C=2.0).C == 2.0
    with pytest.raises(UnknownNameError, match="Unknown ranker 'ransvm': did you mean 'ranksvm'"):
        rankers.get("ransvm")
    with pytest.raises(UnknownNameError, match="Unknown parameter of RankSVM 'Cs': did you mean 'C'"):
        rankers.get("ranksvm", Cs=2.0)


def test_many_numbers_go_to_an_npz_beside_and_belong_together(tmp_path, monkeypatch):
    monkeypatch.setattr("leanrank.rankers._saving.BIG", 5)
    data, path = judged(), tmp_path / "model.json"
    ranker = KernelRankSVM().fit(data)
    ranker.save(path)
    beside = tmp_path / "model.json.npz"
    assert beside.exists()
    np.testing.assert_array_equal(load_ranker(path).predict(data), ranker.predict(data))
    good = beside.read_bytes()
    beside.write_bytes(good[:-1] + b"x")
    with pytest.raises(DataError, match="does not belong to this file, or is damaged"):
        load_ranker(path)
    beside.unlink()
    with pytest.raises(DataError, match=r"its arrays in .*npz cannot be read"):
        load_ranker(path)
    beside.write_bytes(good)
    RankSVM().fit(data).save(path)  # needs no arrays beside it: a stale one would only confuse
    assert not beside.exists()


def test_a_pickle_inside_the_npz_is_not_loaded(tmp_path, monkeypatch):
    import pickle
    import zipfile
    from hashlib import blake2b

    monkeypatch.setattr("leanrank.rankers._saving.BIG", 5)
    path, beside = tmp_path / "model.json", tmp_path / "model.json.npz"
    KernelRankSVM().fit(judged()).save(path)
    array = np.array([print], dtype=object)
    with zipfile.ZipFile(beside, "w") as archive, archive.open("support_.npy", "w") as member:
        np.lib.format.write_array(member, array, allow_pickle=True)
    document = json.loads(path.read_text())
    document["npz_digest"] = blake2b(beside.read_bytes(), digest_size=16).hexdigest()
    path.write_text(json.dumps(document))
    monkeypatch.setattr(pickle, "load", lambda *_, **__: pytest.fail("a pickle was loaded"))
    with pytest.raises(DataError, match="not a saved ranker, or damaged"):
        load_ranker(path)


def test_numbers_json_lacks_come_back(tmp_path):
    ranker = RankSVM().fit(judged())
    ranker.objective_ = float("inf")
    ranker.coef_ = np.array([np.nan, -np.inf, 0.1 + 0.2, 5e-324])
    ranker.save(tmp_path / "m.json")
    loaded = load_ranker(tmp_path / "m.json")
    assert loaded.objective_ == float("inf")
    np.testing.assert_array_equal(loaded.coef_, ranker.coef_)


@pytest.mark.parametrize("number", [10**400, -(2**63) - 1])
def test_a_number_beyond_64_bits_is_refused(tmp_path, number):
    path = tmp_path / "m.json"
    RankSVM().fit(judged()).save(path)
    document = json.loads(path.read_text())
    document["learned"]["objective_"] = number
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match=r"m\.json: 'objective_' has [\d,]+ digits"):
        load_ranker(path)


def test_nothing_is_half_written(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    ranker = RankSVM().fit(judged())
    ranker.save(path)
    before = path.read_bytes()

    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", no_space)
    with pytest.raises(DataError, match=r"cannot be written .No space left on device"):
        ranker.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x80\x04pickle", "the file is not text"),
        (b"[" * 100_000, "not a saved ranker"),
        (b"{}", "its 'format' is not 'leanrank-ranker'"),
        (b'{"format": NaN}', "NaN is not JSON"),
        (b"", "not a saved ranker"),
    ],
)
def test_foreign_files_are_refused(tmp_path, content, message):
    path = tmp_path / "foreign.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        load_ranker(path)
    with pytest.raises(DataError, match="cannot be read"):
        load_ranker(tmp_path / "absent.json")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        RankSVM().fit(judged()).save(tmp_path / "no" / "model.json")
