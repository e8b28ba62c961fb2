"""The door of `eval_set`, the same for rankers and for selectors that train them."""

import numpy as np
import pytest
from tests.rankers.conformance import judged

from leanrank import RankingData, RankSVM, scan_letor, write_letor
from leanrank.errors import DataError, MissingValuesError
from leanrank.rankers._early_stopping import eval_data, eval_source
from leanrank.selectors import BoosterImportance


def named(data, names):
    return RankingData(data.X, data.y, data.query_ptr, feature_names=names)


def test_data_and_their_three_parts_are_the_same():
    data = judged()
    ranker = RankSVM().fit(data)
    assert eval_data(data, ranker, owner="RankSVM") is data
    parts = eval_data((data.X, data.y, data.qid), ranker, owner="RankSVM")
    np.testing.assert_array_equal(parts.X, data.X)
    np.testing.assert_array_equal(parts.query_ptr, data.query_ptr)


def test_a_source_is_read_only_where_it_has_to_be(tmp_path):
    write_letor(judged(), tmp_path / "held_out.txt")
    source = scan_letor(tmp_path / "held_out.txt")
    ranker = RankSVM().fit(source)
    assert eval_source(source, ranker) is source
    assert eval_data(source, ranker, owner="RankSVM").n_rows == judged().n_rows


@pytest.mark.parametrize("learner", [RankSVM(), BoosterImportance(RankSVM())], ids=["ranker", "selector"])
def test_other_features_are_refused_alike(learner):
    data = judged()
    train = named(data, list("abcd"))
    with pytest.raises(DataError, match="eval_set has 3 features, the training data 4"):
        learner.fit(train, eval_set=train.subset([0, 1, 2]))
    with pytest.raises(DataError, match="eval_set has other feature names than the training data, or in another order"):
        learner.fit(train, eval_set=named(data, list("abdc")))
    with pytest.raises(DataError, match=r"eval_set must be a RankingData or a tuple \(X, y, qid\). Got 2 parts"):
        learner.fit(train, eval_set=(data.X, data.y))
    X = data.X.copy()
    X[0, 0] = np.nan
    gappy = RankingData(X, data.y, data.query_ptr, feature_names=list("abcd"), missing=True)
    with pytest.raises(MissingValuesError, match="cannot take missing values: feature 'a' has 1"):
        learner.fit(train, eval_set=gappy)
    learner.fit(train, eval_set=(data.X, data.y, data.qid))  # an array has no names that could be wrong
