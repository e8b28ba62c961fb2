"""Features by name or pattern: exact names first, unknown ones refused with the nearest."""

from __future__ import annotations

import numpy as np
import pytest

from leanrank import RankingData, scan_letor, write_letor
from leanrank.data.same_features import kept_by
from leanrank.data.sources import with_features
from leanrank.errors import DataError, UnknownNameError

NAMES = ("bm25_title", "bm25_body", "tfidf", "a*", "ab")


@pytest.mark.parametrize(
    ("only", "drop", "kept"),
    [
        ([], [], NAMES),
        (["bm25*", "tfidf"], [], ("bm25_title", "bm25_body", "tfidf")),
        ([], ["*_body", "a?"], ("bm25_title", "tfidf")),
        (["a*"], [], ("a*",)),  # the name itself, not the pattern
        (["bm25*"], ["*title"], ("bm25_body",)),
    ],
)
def test_what_is_kept(only, drop, kept):
    assert tuple(np.array(NAMES)[kept_by(NAMES, only, drop)].tolist()) == kept


def test_what_no_feature_is_called_is_refused():
    with pytest.raises(UnknownNameError, match="Unknown feature 'tfid': did you mean 'tfidf'") as error:
        kept_by(NAMES, drop=["tfid"])
    assert error.value.parameter == "drop"
    with pytest.raises(DataError, match="No feature is left of 5: all of them are dropped"):
        kept_by(NAMES, drop=["*"])


def test_a_source_without_some_features_is_the_data_without_them(tmp_path):
    data = RankingData(np.arange(12.0).reshape(4, 3), [0, 1, 1, 0], [0, 2, 4])
    write_letor(data, tmp_path / "train.txt")
    mask = np.array([True, False, True])
    narrow = with_features(scan_letor(tmp_path / "train.txt"), mask)
    assert narrow.feature_names == ("1", "3")
    blocks = np.vstack([block.dense() for block in narrow.blocks(2)])
    np.testing.assert_array_equal(blocks, with_features(data, mask).X)
