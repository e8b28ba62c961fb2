"""--ranker-set and --ranker-file: parameters of rankers for `select`, `train` and `compare`."""

from __future__ import annotations

import json

import pytest

from leanrank import as_ranker, load_ranker, make_ranking, rankers, write_letor
from leanrank.cli.app import run
from leanrank.errors import UnknownNameError
from leanrank.evaluation import protocol as grids
from leanrank.evaluation.compare.request import CompareSettings
from leanrank.evaluation.compare.run import compare
from leanrank.evaluation.journal import read_about


@pytest.fixture(scope="module")
def data():
    return make_ranking(24, (5, 8), n_informative=2, n_redundant=2, n_noise=2, random_state=0)[0]


@pytest.fixture
def here(tmp_path, monkeypatch, data):
    monkeypatch.chdir(tmp_path)
    write_letor(data, tmp_path / "train.txt")
    return tmp_path


SELECT = "select train.txt --methods gas -k 2 --folds 3 --jobs 1 -o features.json --ranker"


def test_select_trains_the_ranker_as_it_is_set(here, capfd):
    line = f"{SELECT} lightgbm --ranker-set num_leaves=7 --ranker-set n_estimators=5 --journal run.db"
    assert run(line.split()) == 0
    shown = json.loads((here / "features.json").read_text())["settings"]["ranker"]
    assert "num_leaves=7" in shown
    assert "n_estimators=5" in shown
    assert "early_stopping_rounds=50" in shown
    out = capfd.readouterr().out
    assert "--ranker-set num_leaves=7 --ranker-set n_estimators=5" in " ".join(out.split())
    other = line.replace("num_leaves=7", "num_leaves=8")
    assert run(other.split()) == 2
    assert "run.db is the journal of another run: its ranker is" in capfd.readouterr().err
    assert run(line.split()) == 0


def test_select_reads_a_file_and_options_come_after_it(here):
    (here / "mine.json").write_text('{"C": [0.1, 1], "tol": 0.01}')
    assert run(f"{SELECT} ranksvm --ranker-file mine.json --ranker-set tol=0.1".split()) == 0
    shown = json.loads((here / "features.json").read_text())["settings"]["ranker"]
    assert shown == "RankSVM(C=[0.1, 1], tol=0.1)"


def test_train_takes_them_too(here):
    (here / "mine.json").write_text('{"lightgbm": {"n_estimators": 4, "max_leaves": 5}}')
    line = "train train.txt --ranker lightgbm --ranker-file mine.json --ranker-set lightgbm.extra_trees=true -o m.json"
    assert run(line.split()) == 0
    model = load_ranker("m.json")
    given = model.estimator.get_params()
    assert (given["num_leaves"], given["n_estimators"], given["extra_trees"]) == (5, 4, True)
    assert model.estimator_.num_trees() == 4
    assert run(["train", "train.txt", "--set", "C=10", "-o", "m.json"]) == 0
    assert load_ranker("m.json").C == 10


@pytest.mark.parametrize(("name", "parameter"), [("lightgbm", "random_state"), ("catboost", "random_seed")])
def test_train_gives_boosters_its_seed_unless_they_have_their_own(here, name, parameter):
    pytest.importorskip(name)
    line = f"train train.txt --ranker {name} --ranker-set n_estimators=2 -o m.json --seed 3"
    assert run(line.split()) == 0
    assert load_ranker("m.json").estimator.get_params()[parameter] == 3
    assert run(f"{line} --ranker-set random_seed=5".split()) == 0
    assert load_ranker("m.json").estimator.get_params()[parameter] == 5


def test_compare_sets_each_ranker_by_its_name(here, capfd):
    line = "compare train.txt --methods gas --rankers ranksvm,listnet -k 2 --metrics map --folds 3 -j 1 -o run.db"
    sets = "--ranker-set listnet.n_epochs=3 --ranker-set ranksvm.C=10"
    assert run(f"{line} {sets}".split()) == 0
    assert read_about("run.db")["ranker_settings"] == {"listnet": {"n_epochs": 3}, "ranksvm": {"C": 10}}
    capfd.readouterr()
    assert run(line.split()) == 2
    assert "run.db is the journal of another run: its ranker_settings" in capfd.readouterr().err


def test_a_comparison_is_with_the_rankers_as_set(data):
    small = {"methods": ["gas"], "rankers": ["ranksvm"], "k": [2], "metrics": ["map"], "n_jobs": 1}
    shared = {"n_splits": 3}
    weak, usual = (
        compare(data, **small, settings=CompareSettings(**shared, ranker_settings=settings))
        for settings in ({"ranksvm": {"C": 1e-9, "max_iter": 1}}, {})
    )
    assert weak.means() != usual.means()
    assert [r.C for r in grids.rankers_of("ranksvm", "map", {"C": 3.0})] == [3.0]
    assert len(grids.rankers_of("listnet", "map", {"n_epochs": 2})) == 3


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (f"{SELECT} lightgbm --ranker-set num_leavs=7", "did you mean 'num_leaves'?"),
        (f"{SELECT} xgboost --ranker-set max_dept=7", "Unknown parameter of XGBRanker 'max_dept': did you mean"),
        (f"{SELECT} catboost --ranker-set dept=7", "did you mean 'depth'?"),
        (f"{SELECT} ranksvm --ranker-set c=7", "Unknown parameter of RankSVM 'c'"),
        (f"{SELECT} ranksvm --ranker-set lightgbm.num_leaves=7", "Unknown ranker of this command 'lightgbm'"),
        (f"{SELECT} ranksvm --ranker-set C", "A setting is NAME=VALUE, as in --ranker-set num_leaves=63. Got 'C'"),
        (f"{SELECT} ranksvm --ranker-set C=-1", "--ranker-set C must be"),
        (f"{SELECT} ranksvm --ranker-file none.json", "none.json: cannot be read"),
        (f"{SELECT} ranksvm --ranker-file train.txt", "train.txt: is not JSON"),
        (f"{SELECT} ranksvm --ranker-file list.json", 'must hold names and values, as {"num_leaves": 63}. Got a list'),
        ("compare train.txt --rankers ranksvm,listnet --ranker-set C=1", "as in ranksvm.C"),
        ("compare train.txt --rankers ranksvm,listnet --ranker-set listnet.c=1", "Unknown parameter of ListNet 'c'"),
        ("train train.txt --ranker lightgbm --ranker-set leaves=7", "Unknown parameter of LGBMRanker 'leaves'"),
    ],
)
def test_what_is_wrong_is_one_sentence(here, capfd, line, sentence):
    (here / "list.json").write_text("[1]")
    assert run(line.split()) == 2
    error = capfd.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_another_name_of_a_parameter_is_not_lost():
    """LightGBM itself would let its own default of the first name win."""
    lightgbm = rankers.get("lightgbm", num_leaf=5, num_iterations=7, eta=0.3, seed=4, num_threads=2)
    given = lightgbm.estimator.get_params()
    assert (given["num_leaves"], given["n_estimators"], given["learning_rate"]) == (5, 7, 0.3)
    assert (given["random_state"], given["n_jobs"]) == (4, 2)
    assert rankers.get("lightgbm", early_stopping_round=9).early_stopping_rounds == 9
    assert rankers.get("xgboost", eta=0.3, **{"lambda": 2.0}).estimator.reg_lambda == 2.0
    assert rankers.get("xgboost", ndcg_exp_gain=False).estimator.get_params()["ndcg_exp_gain"] is False
    assert rankers.get("catboost", n_estimators=3).estimator.get_params()["iterations"] == 3
    with pytest.raises(UnknownNameError, match="Unknown ranker among those compared 'lightgbm'"):
        compare(None, rankers=["ranksvm"], settings=CompareSettings(ranker_settings={"lightgbm": {}}))
    with pytest.raises(UnknownNameError, match="did you mean 'subsample'"):
        as_ranker("xgboost", subsampel=0.5)
