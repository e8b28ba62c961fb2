"""`--catalogue`, families and prices on the command line: names in every table, rules in every command."""

from __future__ import annotations

import json

import pytest

from leanrank import make_ranking, write_letor
from leanrank.cli.app import run

CSV = """id,name,description,family,cost
1,BM25 of title,Okapi of the title,bm25,1
2,BM25 of body,Okapi of the body,bm25,2
3,BM25 <b>of\x1b[31m</b> URL,Okapi of the URL,bm25,
4,clicks,How often it was clicked,clicks,5
5,age,Days since it was written,,1
6,length,Words of the body,,1
7,slashes,Slashes of the URL,url,1
8,URL length,Letters of the URL,url,1
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalogue")
    data, _ = make_ranking(25, docs_per_query=8, n_informative=3, n_redundant=2, n_noise=3, random_state=2)
    write_letor(data, folder / "train.txt")
    (folder / "features.csv").write_text(CSV)
    return folder


@pytest.fixture
def there(made, monkeypatch):
    monkeypatch.chdir(made)
    monkeypatch.setenv("COLUMNS", "200")
    return made


QUICK = ["--methods", "gas", "--ranker", "ranksvm", "--folds", "3", "--effort", "quick"]
RULES = ["--catalogue", "features.csv", "--default-cost", "1"]


def said(capsys, *arguments, code=0):
    assert run([str(argument) for argument in arguments]) == code
    return capsys.readouterr()


def test_select_shows_names_keeps_rules_and_hands_names_on(there, capsys):
    rules = [*RULES, "--family-limit", "bm25=1", "--pair", "7,8", "--json"]
    out = said(capsys, "select", "train.txt", *QUICK, *rules, "-k", "3", "-o", "features.json").out
    record = json.loads(out)
    assert len({"1", "2", "3"} & set(record["names"])) <= 1
    assert ("7" in record["names"]) == ("8" in record["names"])
    assert record["catalogue"]["3"]["name"] == "BM25 <b>of[31m</b> URL"
    assert record["settings"]["costs"] == {str(j): cost for j, cost in enumerate([1, 2, 1, 5, 1, 1, 1, 1], start=1)}
    again = said(capsys, "select", "--from", "features.json", "-k", "4").out
    named = {facts["name"] for facts in record["catalogue"].values()}
    assert sum(name in again for name in named) >= 4
    chosen = json.loads(said(capsys, "select", "--from", "features.json", "-k", "4", "--json").out)
    assert len({"1", "2", "3"} & set(chosen["names"])) <= 1
    page = said(capsys, "report", "features.json", "-o", "-").out
    assert "<b>of" not in page
    assert "&lt;b&gt;of[31m&lt;/b&gt; URL" in page or "3" not in record["names"]
    assert "What the features are" in page
    markdown = said(capsys, "report", "features.json", "-o", "-", "--format", "md").out
    assert "What the features are" in markdown


def test_names_can_be_told_to_a_finished_run(there, capsys):
    said(capsys, "select", "train.txt", *QUICK, "-k", "3", "-o", "plain.json")
    again = said(capsys, "select", "--from", "plain.json", "-k", "2", "--catalogue", "features.csv", "-o", "named.json")
    kept = json.loads((there / "named.json").read_text())
    assert all(kept["catalogue"][name]["name"] in again.out for name in kept["names"])
    assert kept["settings"]["costs"] is None  # prices belong to measuring


def test_order_lint_and_graph_show_names(there, capsys):
    ordered = said(capsys, "order", "train.txt", "-k", "4", *RULES).out
    assert "description" in ordered
    assert "Okapi of the" in ordered
    graph = said(capsys, "graph", "train.txt", "-o", "graph.npz", "--catalogue", "features.csv").out
    assert "1: BM25 of title" in graph
    on_graph = said(capsys, "order", "--graph", "graph.npz", "-k", "2", *RULES).out
    assert "name" in on_graph
    record = json.loads(said(capsys, "lint", "train.txt", "--catalogue", "features.csv", "--json").out)
    assert record["catalogue"]["1"]["name"] == "BM25 of title"


def test_order_keeps_the_rules(there, capsys):
    limits = [*RULES, "--family-limit", "bm25=1", "--together", "url"]
    record = json.loads(said(capsys, "order", "train.txt", *limits, "--json").out)
    assert len({"1", "2", "3"} & set(record["names"])) == 1
    assert abs(record["names"].index("7") - record["names"].index("8")) == 1


def test_families_given_again_all_go_together(there, capsys):
    pairs = ["--pair", "4,6", "--together", "url", "--together", "bm25"]
    order = json.loads(said(capsys, "order", "train.txt", *RULES, *pairs, "--json").out)["names"]
    for group in ({"1", "2", "3"}, {"7", "8"}, {"4", "6"}):
        places = sorted(order.index(name) for name in group)
        assert places[-1] - places[0] == len(group) - 1


def test_compare_keeps_the_rules_and_shows_names(there, capsys):
    limits = [*RULES, "--family-limit", "bm25=1", "--together", "url"]
    methods = ["--methods", "gas,hcas", "--rankers", "ranksvm", "-k", "3", "--folds", "3", "--metrics", "map"]
    out = said(capsys, "compare", "train.txt", *methods, *limits, "-o", "rules.db", "-j", "1").out
    assert ": BM25 of" in out or ": clicks" in out
    tables = json.loads(said(capsys, "compare", "--show", "rules.db", "--json").out)
    for row in tables["features"]:
        every = [str(name) for name, n in row["repetition"]["most"] if n == 3]
        assert len({"1", "2", "3"} & set(every)) <= 1


def test_diff_shows_names(there, capsys):
    for k, name in ((2, "a.json"), (4, "b.json")):
        said(capsys, "order", "train.txt", "-k", k, "-o", name, *RULES)
    assert "Okapi of the" in said(capsys, "diff", "a.json", "b.json").out
    told = json.loads(said(capsys, "diff", "a.json", "b.json", "--json").out)
    assert told["catalogue"]["4"]["name"] == "clicks"


@pytest.mark.parametrize(("to", "full"), [("ranklib", "".join(f"{n}\n" for n in range(1, 9))), ("vespa", None)])
def test_exports_say_what_features_are(there, capsys, to, full):
    said(capsys, "order", "train.txt", "-k", 2, "-o", "few.json", *RULES)
    (there / f"full.{to}").write_text(full or json.dumps([str(n) for n in range(1, 9)]))
    said(capsys, "export", "few.json", "--to", to, "--featureset", f"full.{to}", "-o", f"pruned.{to}")
    kept = json.loads((there / "few.json").read_text())["names"]
    text, mapping = (there / f"pruned.{to}").read_text(), json.loads((there / "pruned.mapping.json").read_text())
    comments = [line for line in text.splitlines() if line.startswith("# ")]
    assert len(comments) == len(kept)
    assert {feature["data_name"] for feature in mapping["features"]} == set(kept)
    assert all(feature["about"]["name"] for feature in mapping["features"])
    said(
        capsys,
        "export",
        "few.json",
        "--to",
        to,
        "--featureset",
        f"pruned.{to}",
        "-o",
        f"again.{to}",
        "--by-position",
        code=2,
    )


REFUSED = [
    (["--family-limit", "bm52=1"], "Unknown family in --family-limit 'bm52': did you mean 'bm25'?"),
    (["--family-limit", "bm25"], "--family-limit takes a family and a whole number, as in bm25=3. Got 'bm25'."),
    (["--family-limit", "bm25=x"], "--family-limit takes a family and a whole number"),
    (["--pair", "7"], "--pair takes two features or more"),
    (["--pair", "7,99"], "Unknown feature in --together '99'"),
    (["--together", "urls"], "Unknown family in --together 'urls': did you mean 'url'?"),
    (["--family-limit", "bm25=1", "--must-keep", "1,2"], "--family-limit allows 1 of family 'bm25', of which 2 must"),
    (["--pair", "1,2,3,4,5,6,7,8", "-k", "3"], "go together"),
    (["--pair", "7,8", "--must-keep", "7", "-k", "1"], "-k must be"),
    (["--default-cost", "-1"], "--default-cost must be a number >= 0 or None. Got -1.0 instead."),
]


@pytest.mark.parametrize(("options", "says"), REFUSED)
@pytest.mark.parametrize("command", ["select", "order"])
def test_what_cannot_be_is_refused_in_the_words_of_the_command_line(there, capsys, command, options, says):
    quick = QUICK if command == "select" else []
    cost = [] if "--default-cost" in options else ["--default-cost", "1"]
    err = said(capsys, command, "train.txt", *quick, "--catalogue", "features.csv", *cost, *options, code=2).err
    assert says in err
    assert "Limits" not in err
    assert "GAS" not in err


def test_costs_without_a_default_are_asked_for(there, capsys):
    err = said(capsys, "select", "train.txt", *QUICK, "--catalogue", "features.csv", code=2).err
    assert "features.csv: has no cost for 1 of 8 features, the first of which is '3'" in err
    assert "--default-cost" in err


def test_explicit_costs_win(there, capsys):
    (there / "costs.csv").write_text("feature,cost\n1,7\n")
    options = [*RULES, "--costs", "costs.csv", "-k", "2", "--json"]
    record = json.loads(said(capsys, "select", "train.txt", *QUICK, *options).out)
    assert record["settings"]["costs"] == {"1": 7.0} | {str(j): 1.0 for j in range(2, 9)}


@pytest.mark.filterwarnings("default::UserWarning")
def test_ids_that_are_not_in_the_data_are_said_once(there, capsys):
    (there / "more.csv").write_text("id,name\n1,BM25\n99,other\n")
    err = said(capsys, "order", "train.txt", "-k", "2", "--catalogue", "more.csv").err
    assert err.count("not in the data: '99'") == 1
