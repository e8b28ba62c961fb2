"""The shared conformance suite, for every ranker of the registry."""

import copy
import json
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.rankers import conformance
from tests.rankers.conformance import ORDER_MATTERS, as_sparse, judged, new, with_odd_queries

from leanrank import RankingData, load_ranker, rankers
from leanrank.errors import DataError, LeanRankError, MissingValuesError

NAMES = rankers.names()
_NEEDS = {"catboost", "lightgbm", "xgboost"}


@pytest.fixture(params=NAMES)
def name(request):
    if request.param in _NEEDS:
        pytest.importorskip(request.param)
    return request.param


@pytest.fixture(scope="module")
def fitted():
    """Rankers fitted on judged(), each once."""
    found = {}

    def of(name):
        if name not in found:
            found[name] = new(name).fit(judged())
        return found[name]

    return of


def test_it_learns_and_scores_every_document(name, fitted):
    data = judged(seed=1)
    scores = fitted(name).predict(data)
    assert scores.shape == (data.n_rows,)
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    rng = np.random.default_rng(0)
    chance = np.mean([conformance_score(data, rng.random(data.n_rows)) for _ in range(20)])
    assert fitted(name).score(data) > chance + 0.1


def conformance_score(data, scores):
    from leanrank.metrics import metric

    return metric("ndcg@10")(data.y, scores, qid=data.qid)


def test_two_fits_give_the_same_bits(name, fitted):
    np.testing.assert_array_equal(new(name).fit(judged()).predict(judged(1)), fitted(name).predict(judged(1)))


def test_fit_leaves_the_parameters_alone_and_clone_is_unfitted(name, fitted):
    before = copy.deepcopy({key: repr(value) for key, value in new(name).get_params().items()})
    assert {key: repr(value) for key, value in fitted(name).get_params().items()} == before
    twin = clone(fitted(name))
    assert {key: repr(value) for key, value in twin.get_params().items()} == before
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        twin.predict(judged())


def test_the_order_of_queries_does_not_matter(name, fitted):
    data = judged()
    order = np.random.default_rng(3).permutation(data.n_queries)
    other = new(name).fit(data.take_queries(order))
    if name in ORDER_MATTERS:
        assert other.score(data) == pytest.approx(fitted(name).score(data), abs=0.05)
    else:
        scores = fitted(name).predict(data)
        np.testing.assert_allclose(other.predict(data), scores, atol=1e-3 * np.ptp(scores))


def test_query_ids_are_only_names(name, fitted):
    data = judged()
    texts = np.array([f"query {i}" for i in data.qid[::-1]])[::-1]
    other = new(name).fit(data.X, data.y, qid=texts)
    np.testing.assert_array_equal(other.predict(data.X, qid=texts), fitted(name).predict(data))


def test_sparse_equals_dense(name, fitted):
    data = judged()
    scores = fitted(name).predict(data)
    scale = np.ptp(scores)
    np.testing.assert_allclose(fitted(name).predict(as_sparse(data)), scores, atol=1e-9 * scale)
    np.testing.assert_allclose(new(name).fit(as_sparse(data)).predict(data), scores, atol=1e-5 * scale)


def test_saved_and_loaded_it_gives_the_same_bits(name, fitted, tmp_path):
    path = tmp_path / "ranker.json"
    fitted(name).save(path)
    loaded = load_ranker(path)
    assert type(loaded) is type(fitted(name))
    np.testing.assert_array_equal(loaded.predict(judged(1)), fitted(name).predict(judged(1)))
    assert list(loaded.feature_names_in_) == list(judged().feature_names)
    loaded.save(tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text())["learned"] == json.loads(path.read_text())["learned"]
    assert sorted(p.suffix for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def test_a_damaged_file_is_refused(name, fitted, tmp_path):
    path = tmp_path / "ranker.json"
    fitted(name).save(path)
    document = conformance.read(path)
    for what, damaged in conformance.damages(document):
        path.write_text(json.dumps(damaged))
        with pytest.raises(LeanRankError, match=r"ranker\.json: "):
            pytest.fail(f"{what} was accepted: {load_ranker(path)}")
    path.write_text(json.dumps(document)[:-20])
    with pytest.raises(LeanRankError, match="not a saved ranker, or damaged"):
        load_ranker(path)


def test_single_documents_and_queries_of_one_label(name):
    data = with_odd_queries(judged())
    ranker = new(name).fit(data)
    assert np.isfinite(ranker.predict(data)).all()
    assert ranker.predict(data.X[:1]).shape == (1,)
    assert ranker.score(judged(1)) > 0.7


@pytest.mark.parametrize("size", [1, 6])
def test_data_that_teach_nothing_still_give_scores(name, size):
    data = judged()
    same = RankingData(data.X[:12], np.ones(12), np.arange(0, 13, size))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that there is nothing to learn
        ranker = new(name).fit(same)
    assert np.isfinite(ranker.predict(data)).all()


def test_constant_features_only(name):
    data = judged()
    X = np.ones_like(data.X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        scores = new(name).fit(X, data.y, qid=data.qid).predict(X)
    assert np.ptp(scores) == pytest.approx(0, abs=1e-9) or name in conformance.ORDERS_EQUALS


def test_frames_are_taken_and_their_names_checked(name, fitted):
    pl = pytest.importorskip("polars")
    data = judged()
    frame = pl.DataFrame({f"f{j}": data.X[:, j] for j in range(4)})
    ranker = new(name).fit(frame, pl.Series(data.y.tolist()), qid=pl.Series(data.qid))
    np.testing.assert_array_equal(ranker.predict(frame, qid=data.qid), fitted(name).predict(data))
    assert ranker.feature_names_in_.tolist() == ["f0", "f1", "f2", "f3"]
    with pytest.raises(DataError, match="same order as they were in fit"):
        ranker.predict(frame.select("f1", "f0", "f2", "f3"))
    with pytest.raises(DataError, match="yet now missing:\n- f2"):
        ranker.predict(frame.rename({"f2": "other"}))


def test_bad_input_is_refused_in_one_sentence(name, fitted):
    data = judged()
    with pytest.raises(DataError, match=r"3 features, but .* is expecting 4 features"):
        fitted(name).predict(data.X[:, :3])
    with pytest.raises(DataError, match="There are no labels"):
        new(name).fit(data.X)
    with pytest.raises(DataError, match="There is no qid"):
        new(name).fit(data.X, data.y)
    with pytest.raises(DataError, match="The rows of query 100 are not adjacent"):
        new(name).fit(data.X, data.y, qid=np.where(np.arange(data.n_rows) == 50, 100, data.qid))
    with pytest.raises(DataError, match="eval_set must be a RankingData or a tuple"):
        new(name).fit(data, eval_set=(data.X, data.y))
    X = data.X.copy()
    X[5, 1] = np.nan
    if new(name).takes_missing:
        assert np.isfinite(new(name).fit(X, data.y, qid=data.qid).predict(X)).all()
    else:
        refused = r"NaN in feature '2', row 5.*: \w+ cannot take missing values\. Fill or drop them first\.$"
        with pytest.raises(MissingValuesError, match=refused):
            new(name).fit(X, data.y, qid=data.qid)
        with pytest.raises(MissingValuesError, match=refused):
            fitted(name).predict(X)


def test_regroup_brings_rows_of_a_query_together(name, fitted):
    data = judged()
    shuffled = np.argsort(np.arange(data.n_rows) % 10, kind="stable")  # all first documents, then second ones
    X, y, qid = data.X[shuffled], data.y[shuffled], data.qid[shuffled]
    ranker = new(name).fit(X, y, qid=qid, regroup=True)
    np.testing.assert_array_equal(ranker.predict(data), fitted(name).predict(data))
    np.testing.assert_array_equal(ranker.predict(X, qid=qid), fitted(name).predict(data)[shuffled])
    assert ranker.score(X, y, qid=qid) == pytest.approx(fitted(name).score(data), abs=1e-12)


def test_no_training_data_are_kept(name, fitted):
    allowed = {"support_", "dual_coef_"} if name == "kernelranksvm" else set()  # it is its support vectors
    assert set(conformance.kept_rows(fitted(name), judged().n_rows)) <= allowed


def test_an_eval_set_is_taken_both_ways(name):
    data, held_out = judged(), judged(1)
    one = new(name).fit(data, eval_set=held_out).predict(data)
    two = new(name).fit(data.X, data.y, qid=data.qid, eval_set=(held_out.X, held_out.y, held_out.qid)).predict(data)
    np.testing.assert_array_equal(one, two)


def test_permutation_importances_find_the_features_that_count(name, fitted):
    importances = fitted(name).importances("permutation", data=judged(1), n_repeats=3)
    assert importances.shape == (4,)
    assert np.argmax(importances) == 0
    assert importances[3] == 0.0
