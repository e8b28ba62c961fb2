"""Catalogues: what is read, what is refused by its line, what is cleaned, and those that come with the package."""

from __future__ import annotations

import json
import warnings

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leanrank import Catalogue, FeatureFacts, feature_graph, make_ranking, read_catalogue
from leanrank.data.catalogue import LONGEST, facts_of
from leanrank.data.catalogue_file import SHIPPED
from leanrank.errors import DataError, LeanRankError, UnknownNameError

CSV = """# made for a test
id,name,description,family,cost,phase
7,BM25 of title,"Okapi, of the title",bm25,2,second
8,clicks,,,0.5,
"""


def written(tmp_path, text, name="features.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_csv_file(tmp_path):
    catalogue = read_catalogue(written(tmp_path, CSV))
    assert list(catalogue) == [
        FeatureFacts("7", "BM25 of title", "Okapi, of the title", "bm25", 2.0, "second"),
        FeatureFacts("8", "clicks", cost=0.5),
    ]
    assert catalogue.families() == {"bm25": ["7"]}
    assert catalogue.costs() == {"7": 2.0, "8": 0.5}
    assert [catalogue.label(name) for name in ("7", "8", "9")] == ["7: BM25 of title", "8: clicks", "9"]


def test_the_same_as_tsv_json_and_frames(tmp_path):
    expected = read_catalogue(written(tmp_path, CSV)).to_dict()
    tsv = CSV.replace('"Okapi, of the title"', "Okapi; of the title").replace(",", "\t").replace(";", ",")
    assert read_catalogue(written(tmp_path, tsv, "features.tsv")).to_dict() == expected
    assert read_catalogue(written(tmp_path, json.dumps(expected), "features.json")).to_dict() == expected
    listed = [{"column": name, **facts} for name, facts in expected.items()]
    assert read_catalogue(written(tmp_path, json.dumps(listed), "list.json")).to_dict() == expected
    assert read_catalogue(expected).to_dict() == expected
    for frame in (pd.DataFrame(listed), pl.DataFrame(listed)):
        assert read_catalogue(frame).to_dict() == expected
    assert read_catalogue(Catalogue.of_dict(expected)).to_dict() == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name,cost\nBM25,1\n", r"one column id \(or column, or feature\). Its columns: 'name', 'cost'"),
        ("id,column\n1,1\n", "one column id"),
        ("", "Its columns: none"),
        ("id,nmae\n1,BM25\n", "Unknown column of .*features.csv 'nmae': did you mean 'name'"),
        ("id,name\n1,BM25\n1,TF\n", "feature '1' is listed a second time"),
        ("id,name\n,BM25\n", "features.csv, line 2: a feature without an id"),
        ("id,name\n1,BM25,more\n", "line 2: has 3 fields, the header 2"),
        ("# a comment\n\nid,name\n", "Its columns"),
        ("id,cost\n1,cheap\n", "line 2: the cost 'cheap' is not a number >= 0"),
        ("id,cost\n1,-1\n", "line 2: the cost '-1' is not a number >= 0"),
        ("id,cost\n1,nan\n", "line 2: the cost 'nan' is not a number >= 0"),
        ("# a\n# b\nid,cost\n1,1\n2,inf\n", "line 5: the cost 'inf' is not a number >= 0"),
        (f"id,name\n1,{'x' * 201}\n", "line 2: the name has 201 letters, at most 200 are allowed"),
        ('id,name\n1,"never closed\n', "is not CSV"),
        (b"id,name\n1,\xff\n", "not text in UTF-8"),
    ],
)
def test_what_is_wrong_is_refused_by_its_line(tmp_path, text, says):
    with pytest.raises(LeanRankError, match=says):
        read_catalogue(written(tmp_path, text))


@pytest.mark.parametrize(
    "text", ["3", '["a"]', '[{"name": "BM25"}]', '{"a": 1}', '{"a": {"name": 1.5}}', "{", '{"a": {"x": 1}}']
)
def test_json_that_is_no_catalogue_is_refused(tmp_path, text):
    with pytest.raises(LeanRankError, match=r"features.json"):
        read_catalogue(written(tmp_path, text, "features.json"))


def test_no_file_and_no_name_that_is_known():
    with pytest.raises(
        UnknownNameError, match="Unknown catalogue, and no file of that name, 'mlsr': did you mean 'mslr'"
    ):
        read_catalogue("mlsr")
    with pytest.raises(DataError, match=r"nowhere.csv: cannot be read"):
        read_catalogue("nowhere.csv")
    with pytest.raises(LeanRankError, match=r"must be a path, a name, a dict or a frame. Got 'int' instead"):
        read_catalogue(3)


def test_a_file_too_large_for_a_catalogue_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("leanrank.data.catalogue_file.LARGEST_FILE", 2**20)
    with pytest.raises(DataError, match="more than 1 MB, which no catalogue has"):
        read_catalogue(written(tmp_path, "id\n" + "1\n" * 2**20))


@given(st.text(max_size=80))
def test_no_text_steers_a_terminal_or_breaks_a_line(text):
    facts = facts_of({"id": "1", "name": text, "description": text}, "here")
    for shown in (facts.name, facts.description):
        assert all(sign.isprintable() or sign == " " for sign in shown if ord(sign) < 0xA0)
        assert "\u202e" not in shown
        assert "\n" not in shown
    assert len(facts.name) <= LONGEST["name"]


def test_ids_that_the_data_lack_are_warned_about_once_with_the_nearest():
    catalogue = read_catalogue({"bm25": "BM25", "clikcs": "Clicks", "a": "A", "b": "B", "c": "C"})
    with pytest.warns(
        UserWarning, match=r"4 features are not in the data: 'clikcs' \(did you mean 'clicks'\?\), 'a', 'b', ..."
    ) as said:
        kept = catalogue.of(["bm25", "clicks"])
    assert len(said) == 1
    assert [facts.id for facts in kept] == ["bm25"]


def test_a_catalogue_of_other_data_is_refused():
    with pytest.raises(
        DataError, match="none of its 136 features is in the data: its first is '1', the first of the data 'bm25'"
    ):
        read_catalogue("mslr").of(["bm25", "clicks"])


def test_a_graph_is_drawn_with_names():
    data, _ = make_ranking(6, n_informative=2, n_redundant=0, n_noise=1, random_state=0)
    graph = feature_graph(data).labelled({data.feature_names[0]: "BM25"})
    assert graph.feature_names == (f"{data.feature_names[0]}: BM25", *data.feature_names[1:])
    assert "BM25" in json.dumps(graph.heatmap().to_dict())


def test_a_feature_it_does_not_have():
    with pytest.raises(UnknownNameError, match="'bm52': did you mean 'bm25'"):
        read_catalogue({"bm25": "BM25"})["bm52"]


SIZES = {"gov": 64, "letor4": 46, "mq2007": 46, "mq2008": 46, "mslr": 136, "ohsumed": 45, "yahoo": 700}


def test_every_catalogue_that_comes_with_the_package_is_whole():
    assert {name: len(read_catalogue(name)) for name in SHIPPED} == SIZES
    for name in SHIPPED:
        catalogue = read_catalogue(name)
        assert [facts.id for facts in catalogue] == [str(j + 1) for j in range(SIZES[name])]
        names = [facts.name for facts in catalogue if facts.name]
        assert len(set(names)) == len(names)
        if name != "yahoo":
            assert all(facts.name and facts.description and facts.family for facts in catalogue)


def test_public_catalogues_say_what_is_published():
    mslr, letor4, ohsumed, gov = map(read_catalogue, ("mslr", "letor4", "ohsumed", "gov"))
    assert mslr["106"].name == "BM25 of body"
    assert mslr["130"].name == "PageRank"
    assert mslr["134"].family == "clicks"
    assert letor4["25"].name == "BM25 of whole document"
    assert letor4["46"].name == "number of child pages"
    assert ohsumed["11"].name == "BM25 of title"
    assert ohsumed["45"].name == "LMIR.ABS of title and abstract"
    assert [gov[str(j)].name for j in (41, 52, 64)] == [
        "sitemap based term propagation",
        "HostRank",
        "LMIR.JM of extracted title",
    ]


def test_some_features_of_a_public_data_set_are_nothing_to_warn_about():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_catalogue("mslr").of(["1", "5"])) == 2


def test_a_public_catalogue_of_far_more_features_than_are_numbered_is_doubted():
    ours = [str(j) for j in range(1, 18)]
    with pytest.warns(
        UserWarning, match="mslr has names for 136 features, the data have 17, numbered from 1: are they"
    ):
        read_catalogue("mslr").of(ours)
    read_catalogue("mslr").of([*ours, "134"])  # some of its features
