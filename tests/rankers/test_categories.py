"""Categories in rankers: boosters as the libraries themselves have them, all others by the mean label."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.data.categorical import BRANDS, in_parts, with_categories

from leanrank.data import RankingData
from leanrank.data.category_means import CategoryMeans, cross_fitted
from leanrank.errors import DataError
from leanrank.rankers import as_ranker, get
from leanrank.rankers._categories import UnknownCategoryWarning
from leanrank.rankers._saving import load_ranker

BOOSTERS = ["lightgbm", "xgboost", "catboost"]
OTHERS = ["ranksvm", "ranknet", "listnet", "rankboost", "adarank", "svmmap"]
N_TREES = 15


def booster(name, **more):
    pytest.importorskip(name)
    return get(name, n_estimators=N_TREES, n_threads=1, **more)


def lightgbm_itself(train, valid, test):
    lightgbm = pytest.importorskip("lightgbm")
    own = lightgbm.LGBMRanker(
        n_estimators=N_TREES, learning_rate=0.05, deterministic=True, force_row_wise=True, random_state=0,
        verbosity=-1, n_jobs=1,
    )  # fmt: skip
    own.fit(train.X, train.y, group=train.query_sizes, categorical_feature=[1, 3])
    return own.predict(test.X)


def xgboost_itself(train, valid, test):
    xgboost = pytest.importorskip("xgboost")
    own = xgboost.XGBRanker(
        objective="rank:ndcg", n_estimators=N_TREES, learning_rate=0.05, max_depth=6, tree_method="hist",
        random_state=0, n_jobs=1, enable_categorical=True, feature_types=["q", "c", "q", "c"],
    )  # fmt: skip
    return own.fit(train.X, train.y, qid=train.qid).predict(test.X)


def catboost_itself(train, valid, test):
    catboost = pytest.importorskip("catboost")
    pd = pytest.importorskip("pandas")

    def frame(data):
        texts = [[None if np.isnan(code) else data.categories[name][int(code)] for code in data.X[:, j]]
                 for j, name in ((1, "brand"), (3, "colour"))]  # fmt: skip
        words = [["missing" if text is None else text for text in column] for column in texts]
        return pd.DataFrame({"bm25": data.X[:, 0], "brand": words[0], "noise": data.X[:, 2], "colour": words[1]})

    own = catboost.CatBoostRanker(
        loss_function="YetiRank", iterations=N_TREES, random_seed=0, verbose=False, allow_writing_files=False,
        thread_count=1,
    )  # fmt: skip
    own.fit(frame(train), train.y, group_id=train.qid, cat_features=["brand", "colour"])
    return own.predict(frame(test))


ITSELF = {"lightgbm": lightgbm_itself, "xgboost": xgboost_itself, "catboost": catboost_itself}


@pytest.mark.parametrize("name", BOOSTERS)
def test_boosters_score_as_the_library_itself_on_the_same_folds(name):
    data = with_categories()
    for order in ([0, 1, 2], [2, 0, 1]):
        train, valid, test = (in_parts(data)[i] for i in order)
        ours = booster(name).fit(train).predict(test)
        np.testing.assert_allclose(ours, ITSELF[name](train, valid, test), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", BOOSTERS)
def test_a_category_is_not_its_codes_to_a_booster(name):
    train, valid, test = in_parts(with_categories())
    train_numbers, test_numbers = (replace(part, categories={}) for part in (train, test))
    as_numbers = booster(name).fit(train_numbers).predict(test_numbers)
    assert not np.allclose(booster(name).fit(train).predict(test), as_numbers)
    assert booster(name).fit(train, eval_set=valid).score(test) > 0.85


@pytest.mark.parametrize("name", BOOSTERS + OTHERS)
def test_categories_survive_saving_and_loading(name, tmp_path):
    train, valid, test = in_parts(with_categories())
    ranker = booster(name) if name in BOOSTERS else get(name)
    ranker.fit(train, eval_set=valid)
    ranker.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["version"] == 2
    again = load_ranker(tmp_path / "model.json")
    assert again.categories_.texts == train.categories
    np.testing.assert_array_equal(again.predict(test), ranker.predict(test))
    # codes in another order, by the same texts
    shuffled = np.array([3, 1, 0, 2, 11, 10, 9, 8, 7, 6, 5, 4])
    X = test.X.copy()
    known = ~np.isnan(X[:, 1])
    X[known, 1] = np.argsort(shuffled)[X[known, 1].astype(int)]
    other = replace(test, X=X, categories={**test.categories, "brand": tuple(BRANDS[i] for i in shuffled)})
    np.testing.assert_array_equal(again.predict(other), ranker.predict(test))


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost", "ranksvm"])
def test_an_unknown_category_counts_as_missing_and_is_told(name):
    train, _, test = in_parts(with_categories())
    ranker = (booster(name) if name in BOOSTERS else get(name)).fit(train)
    X, Z = test.X.copy(), test.X.copy()
    X[:5, 1], Z[:5, 1] = len(BRANDS), np.nan
    new = replace(test, X=X, categories={**test.categories, "brand": (*BRANDS, "brand new")})
    with pytest.warns(UnknownCategoryWarning, match="count as missing: 'brand' in 5 of 180 documents"):
        scores = ranker.predict(new)
    np.testing.assert_array_equal(scores, ranker.predict(replace(test, X=Z)))


@pytest.mark.parametrize("name", OTHERS)
def test_other_rankers_learn_from_means_of_other_queries(name):
    train, _, test = in_parts(with_categories())
    by_hand = get(name).fit(cross_fitted(train)).predict(CategoryMeans.of(train).numbered(test))
    np.testing.assert_array_equal(get(name).fit(train).predict(test), by_hand)


def test_a_regressor_gets_means_too():
    from sklearn.tree import DecisionTreeRegressor

    train, _, test = in_parts(with_categories())
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    by_hand = tree.fit(cross_fitted(train).X, train.y).predict(CategoryMeans.of(train).numbered(test).X)
    np.testing.assert_array_equal(as_ranker(tree).fit(train).predict(test), by_hand)


@pytest.mark.parametrize("name", ["lightgbm", "catboost", "ranksvm"])
def test_a_frame_of_texts_is_scored_alike(name):
    pd = pytest.importorskip("pandas")
    train, _, test = in_parts(with_categories())
    ranker = (booster(name) if name in BOOSTERS else get(name)).fit(train)
    columns = {"bm25": test.X[:, 0], "brand": None, "noise": test.X[:, 2], "colour": None}
    for j, column in ((1, "brand"), (3, "colour")):
        texts = test.categories[column]
        columns[column] = [None if np.isnan(code) else texts[int(code)] for code in test.X[:, j]]
    np.testing.assert_array_equal(ranker.predict(pd.DataFrame(columns)), ranker.predict(test))
    with pytest.raises(DataError, match="was trained with the category 'brand': pass RankingData, or a frame"):
        ranker.predict(test.X)


def test_a_number_is_no_category_and_a_category_no_number():
    train, valid, test = in_parts(with_categories())
    with pytest.raises(DataError, match="'brand' is a number in these data and was a category when RankSVM"):
        get("ranksvm").fit(train).predict(replace(test, categories={"colour": test.categories["colour"]}))
    numbers = replace(train, X=np.nan_to_num(train.X), missing=False, categories={})
    with pytest.raises(DataError, match="'brand' is a category in these data and was a number when RankSVM"):
        get("ranksvm").fit(numbers).score(test)
    with pytest.raises(DataError, match="'brand' is a category in these data and was a number"):
        get("ranksvm").fit(numbers, eval_set=valid)


@pytest.mark.parametrize("name", [*BOOSTERS, "ranksvm"])
def test_one_text_and_no_text_at_all(name):
    train, _, test = in_parts(with_categories())

    def poor(data):
        X = data.X.copy()
        X[:, 1], X[:, 3] = np.nan, 0
        return replace(data, X=X, categories={"brand": (), "colour": ("blue",)})

    ranker = (booster(name) if name in BOOSTERS else get(name)).fit(poor(train))
    assert np.isfinite(ranker.predict(poor(test))).all()


@pytest.mark.parametrize("kind", ["gain", "permutation", "shap"])
@pytest.mark.parametrize("name", BOOSTERS)
def test_importances_tell_the_category_that_matters(name, kind):
    train, _, test = in_parts(with_categories(120))
    weight = booster(name).fit(train).importances(kind, data=test)
    assert weight.shape == (4,)
    assert weight[1] > weight[3]


def test_without_categories_a_file_is_as_before(tmp_path):
    data = with_categories().subset(["bm25", "noise"])
    get("ranksvm").fit(data).save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["version"] == 1
    assert "categories" not in document


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["categories"]["texts"].pop("brand"), "'brand' is a category in these data and was a number"),
        (lambda d: d["categories"]["texts"].update(brand=["a", "a"]), "the texts of the category 'brand'"),
        (lambda d: d["categories"]["texts"].update(other=["a"]), "the categories are not those of its features"),
        (lambda d: d["categories"]["means"].update(colour=[0.5]), "the means of the category 'colour' are not 4"),
        (lambda d: d.pop("categories"), "damaged"),
        (lambda d: d.update(version=3), "version 3 of the format is not known here, only 1 and 2"),
    ],
)
def test_damaged_categories_are_refused(tmp_path, change, message):
    train, _, test = in_parts(with_categories())
    get("ranksvm").fit(train).save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    change(document)
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(DataError, match=message):
        load_ranker(tmp_path / "model.json").predict(test)


@pytest.mark.parametrize("kind", ["Borders", "Buckets", "BinarizedTargetMeanValue", "Counter"])
def test_every_kind_of_catboosts_means_survives(kind, tmp_path):
    train, _, test = in_parts(with_categories())
    settings = {"simple_ctr": kind, "combinations_ctr": kind, "one_hot_max_size": 2}
    ranker = booster("catboost", **settings).fit(train)
    ranker.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load_ranker(tmp_path / "model.json").predict(test), ranker.predict(test))


@pytest.mark.parametrize(
    "forge",
    [
        lambda table: table.update(hash_stride=10**9),
        lambda table: table.update(hash_stride=0),
        lambda table: table["hash_map"].pop(),
        lambda table: table["hash_map"].__setitem__(0, 7),
        lambda table: table["hash_map"].__setitem__(1, "7"),
    ],
)
def test_forged_means_of_catboost_are_refused(forge):
    ranker = booster("catboost").fit(in_parts(with_categories())[0])
    model = json.loads(ranker.model_text_)
    forge(next(iter(model["ctr_data"].values())))
    with pytest.raises(DataError, match="the CatBoost model is damaged: the numbers of its categories"):
        ranker._check_text(json.dumps(model))


@pytest.mark.parametrize("key", ["ctrs", "categorical_features"])
def test_forged_categories_of_catboost_are_refused(tmp_path, key):
    pytest.importorskip("catboost")
    train, _, _ = in_parts(with_categories())
    ranker = booster("catboost").fit(train)
    model = json.loads(ranker.model_text_)
    model["features_info"].pop(key)
    with pytest.raises(DataError, match="the CatBoost model is damaged"):
        ranker._check_text(json.dumps(model))
    ranker._check_text(ranker.model_text_)


def test_a_cluster_is_refused_by_name():
    pytest.importorskip("lightgbm")
    data = with_categories()
    with pytest.raises(
        DataError, match="on a cluster cannot take categories: leave out engine=, or the category 'brand'"
    ):
        get("lightgbm", engine=object()).fit(data)


def test_a_category_in_another_order_of_columns_is_found_by_name():
    data = with_categories().subset(["brand", "bm25"])
    assert isinstance(data, RankingData)
    train, _, test = in_parts(data)
    pytest.importorskip("lightgbm")
    assert booster("lightgbm").fit(train)._categories() == {0: BRANDS}
    assert np.isfinite(booster("lightgbm").fit(train).predict(test)).all()


@pytest.mark.parametrize("name", BOOSTERS)
def test_whether_a_category_is_there_may_be_all_that_matters(name):
    data = with_categories(40).subset(["colour"])
    codes = np.where(data.y > 1, 0.0, np.nan)
    known = replace(data, X=codes[:, None], missing=True, categories={"colour": ("blue",)})
    scores = booster(name).fit(known).predict(known)
    assert scores[data.y > 1].min() > scores[data.y <= 1].max()
