"""Several metrics, slices, groups and time in `select`: none is worse than asked for, and the answer says so."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from leanrank import LeanSelector, make_ranking, select
from leanrank.data.side_columns import SideColumns
from leanrank.errors import DataError, JournalMismatch, ParameterError
from leanrank.evaluation.select.choice import Rule
from leanrank.evaluation.select.saved_selection import load_selection
from leanrank.evaluation.select.selection_views import slices_said
from leanrank.evaluation.select.slice_losses import SliceLoss, slice_losses, slice_masks, worst_of
from leanrank.report._summary import summarize
from leanrank.report.html import html
from leanrank.report.markdown import markdown

QUICK = {"ranker": "ranksvm", "methods": ["gas"], "effort": "quick", "progress": False, "n_jobs": 1}


@pytest.fixture(scope="module")
def data():
    data = make_ranking(90, 8, n_informative=2, n_redundant=2, n_noise=4, random_state=0)[0]
    country = np.where(np.arange(90) < 5, "li", np.where(np.arange(90) % 3, "de", "fr"))
    return replace(
        data, beside=SideColumns(time=np.arange(90) // 3, query_group=np.arange(90) // 2, slices={"country": country})
    )


@pytest.fixture(scope="module")
def both(data):
    return select(data, metrics=["ndcg@10", "map"], max_loss=[0.3, 0.2], cv=3, **QUICK)


@pytest.fixture(scope="module")
def in_time(data, tmp_path_factory):
    journal = tmp_path_factory.mktemp("time") / "run.db"
    return select(data, cv="time:3", max_loss=0.9, answer="certified", journal=journal, **QUICK), journal


class TestRule:
    RULE = Rule(n_features=None, max_loss=0.02, level=0.95, budget=np.inf, priced=False, random_state=0)

    @pytest.fixture
    def tables(self):
        rng = np.random.default_rng(0)
        reference = rng.random((2, 200))
        small, large = 0.005, 0.1
        first = np.stack([reference[0] - small * rng.random(200)] * 3)
        second = np.stack([reference[1] - loss * rng.random(200) for loss in (small, small, large)])
        return np.stack([first, second]), reference

    def test_a_set_is_certified_only_where_every_metric_is(self, tables):
        values, reference = tables
        assert self.RULE.certified(values[0], reference[0]) == 2
        assert self.RULE.certified(values[1], reference[1]) == 1
        assert replace(self.RULE, max_losses=(0.02, 0.02)).certified(values, reference) == 1
        assert replace(self.RULE, max_losses=(0.02, 0.2)).certified(values, reference) == 2
        assert replace(self.RULE, max_losses=(0.02, 0.02)).recommended(values, reference) == 1

    def test_one_metric_is_as_before(self, tables):
        values, reference = tables
        one = replace(self.RULE, max_losses=(0.02,))
        for answer in ("certified", "recommended"):
            folds = np.array_split(np.arange(200), 4)
            plain = self.RULE.estimate(1, values[1], reference[1], folds, answer)
            assert one.estimate(1, values[1:], reference[1:], folds, answer) == plain

    def test_slices_are_certified_each_for_itself(self, tables):
        values, reference = tables
        bad, rest = np.arange(200) < 30, np.arange(200) >= 30
        values[0][2, bad] = reference[0, bad] - 0.04
        assert self.RULE.certified(values[0], reference[0]) == 2
        assert replace(self.RULE, slices=(bad, rest)).certified(values[0], reference[0]) == 1
        few = np.arange(200) < 29  # too few to certify anything
        assert replace(self.RULE, slices=(few,)).certified(values[0], reference[0]) is None

    def test_groups_are_drawn_in_every_claim(self, tables):
        _, reference = tables
        rng = np.random.default_rng(0)
        noisy = reference[0] + 0.1 * rng.normal(size=200)
        twice, before, group = np.tile(noisy, 2)[None], np.tile(reference[0], 2), np.tile(np.arange(200), 2)
        alone = self.RULE.certified_losses(noisy[None], reference[0])
        np.testing.assert_allclose(replace(self.RULE, group=group).certified_losses(twice, before), alone, atol=1e-12)
        assert self.RULE.certified_losses(twice, before)[0] < alone[0]


class TestSeveralMetrics:
    def test_every_point_shows_every_metric(self, both):
        for point in both.curve:
            assert [one.metric for one in point.metrics] == ["ndcg@10", "map"]
            assert (point.mean, point.difference, point.low) == tuple(
                getattr(point.metrics[0], name) for name in ("mean", "difference", "low")
            )
        assert both.max_losses == {"ndcg@10": 0.3, "map": 0.2}
        assert both.settings["other_metrics"].keys() == {"map"}

    def test_the_certified_set_is_within_the_loss_of_each(self, both):
        chosen = both.with_answer("certified")
        assert chosen.proven
        for one, allowed in zip(chosen.point.metrics, (0.3, 0.2), strict=True):
            assert one.certified_loss <= allowed
        assert "of MAP" in chosen.reason
        assert "or 0.2 MAP is ruled out" in chosen.chosen.risk

    def test_the_other_metric_decides_where_it_is_stricter(self, both):
        walked = [point for point in both.walked if point.metrics[1].certified_loss is not None]
        first = walked[0].metrics[1].certified_loss
        strict = both.within([0.9, first])
        assert strict.certified.measured_k == walked[0].k or walked[1].metrics[1].certified_loss <= first
        assert both.within([0.9, 0.0]).certified.is_everything
        assert both.within(0.9).certified.k <= strict.certified.k
        with pytest.raises(ParameterError, match="one number, or one for each of ndcg@10, map"):
            both.within([0.1, 0.1, 0.1])

    def test_it_is_written_and_read(self, both, tmp_path):
        both.save(tmp_path / "features.json")
        again = load_selection(tmp_path / "features.json")
        assert again.to_json() == both.to_json()
        assert again.point.metrics == both.point.metrics
        assert again.slices == both.slices

    def test_the_report_shows_them(self, both):
        summary = summarize(both)
        assert json.loads(json.dumps(summary)) == summary
        for text in (markdown(summary), html(summary)):
            assert "Every metric" in text
            assert "Slices of the queries" in text
            assert "Bonferroni" in text
        assert "metrics   MAP" in repr(both)

    def test_the_front_is_over_all_metrics(self, both):
        for point in both.pareto:
            beaten = [
                p
                for p in both.curve
                if p.k <= point.k
                and p.cost <= point.cost
                and all(a.mean > b.mean for a, b in zip(p.metrics, point.metrics, strict=True))
            ]
            assert not beaten

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"metrics": []}, "'metrics' parameter of select must be one or more metrics of different names"),
            ({"metrics": ["map", "map"]}, "one or more metrics of different names"),
            ({"metrics": ["map", "ndcg@5"], "max_loss": [0.1]}, "one number, or one for each of the 2 metrics"),
            ({"max_loss": [0.1, 0.2]}, "one number, or one for each of the 1 metrics"),
            ({"metrics": ["map", "ndcg@5"], "max_loss": [0.1, -1]}, ">= 0 and finite. Got -1"),
            ({"cv": "tomorrow"}, "a number of folds >= 3, or time. Got 'tomorrow'"),
        ],
    )
    def test_what_cannot_be_is_refused(self, data, given, said):
        with pytest.raises(ParameterError, match=said):
            select(data, **QUICK, **given)


class TestGroups:
    def test_the_answer_says_how_many_groups_there_are(self, both):
        assert "90 judged queries in 45 groups" in both.forecast.sentence()
        assert both.to_dict()["forecast"]["n_groups"] == 45

    def test_more_folds_than_groups_are_refused(self, data):
        few = replace(data, beside=SideColumns(query_group=np.arange(90) // 30))
        with pytest.raises(ParameterError, match="at most the number of groups of queries, 3"):
            select(few, cv=4, **QUICK)

    def test_copies_do_not_make_it_surer(self):
        """Each query twice under two ids: with groups no interval is narrower than without the copies."""
        once = make_ranking(40, 8, n_informative=2, n_redundant=1, n_noise=3, random_state=1)[0]
        twice = once.take_queries(np.repeat(np.arange(40), 2))
        copies = replace(twice, query_ids=np.arange(80), beside=SideColumns(query_group=np.repeat(np.arange(40), 2)))
        fooled = replace(copies, beside=SideColumns())
        plain, grouped, naive = (select(one, n_features=2, cv=4, **QUICK).nested for one in (once, copies, fooled))
        width = [one["high"] - one["low"] for one in (plain, grouped, naive)]
        assert width[1] >= 0.9 * width[0]
        assert width[2] < width[1]


class TestSlices:
    def test_each_value_has_its_loss(self, both):
        counts = {one.title: one.n_queries for one in both.slices}
        assert counts == {"country=de": 57, "country=fr": 28, "country=li": 5}
        by_title = {one.title: one for one in both.slices}
        assert by_title["country=li"].low is None  # fewer than ten
        assert by_title["country=de"].low <= by_title["country=de"].mean <= by_title["country=de"].high

    def test_the_interval_of_a_slice_is_that_of_its_queries(self):
        rng = np.random.default_rng(0)
        table, column = rng.normal(size=(2, 60)), np.repeat(["a", "b", "c"], 20)
        table[:, :2] = -5.0, 5.0  # the extremes of all, which count once more in every slice
        alone = slice_losses(table[:, :20], slice_masks({"s": column[:20]}), level=1 - 0.05 / 3)
        among = slice_losses(table, slice_masks({"s": column}))
        for row, own in zip(among, alone, strict=True):
            assert row[0].mean == pytest.approx(own[0].mean)
            assert (row[0].low, row[0].high) == pytest.approx((own[0].low, own[0].high), abs=1e-6)

    def test_the_worst_that_loses_is_in_the_headline(self, both):
        losing = SliceLoss("country", "fr", 40, 40, -0.03, -0.05, -0.01)
        more = SliceLoss("country", "it", 40, 40, -0.06, -0.1, -0.02)
        unsure = SliceLoss("country", "de", 40, 40, -0.09, -0.2, 0.01)
        assert worst_of([losing, unsure, more]) is more
        assert worst_of([unsure]) is None
        curve = tuple(replace(point, slices=(losing, unsure)) if point.slices else point for point in both.curve)
        shown = replace(both, curve=curve)
        assert shown.sentence().endswith("; worst in country=fr: -0.0300 [-0.0500, -0.0100]")
        assert "worst in country=fr" in shown._repr_html_()
        assert "worst in country=fr" in markdown(summarize(shown))
        none = replace(both, curve=tuple(replace(p, slices=(unsure,)) if p.slices else p for p in both.curve))
        assert "worst" not in none.sentence()

    def test_a_slice_of_few_groups_says_how_many(self, both):
        small = SliceLoss("country", "de", 7, 7, -0.01)
        grouped = SliceLoss("country", "fr", 12, 6, -0.02)
        curve = tuple(replace(point, slices=(small, grouped)) if point.slices else point for point in both.curve)
        assert slices_said(replace(both, curve=curve)) == (
            "country=fr -0.0200, of 12 queries in 6 groups: an interval needs 10 groups; "
            "country=de -0.0100, of 7 queries: an interval needs 10"
        )

    def test_certified_in_every_slice(self, data):
        country = np.where(np.arange(90) % 2, "de", "fr")
        known = replace(data, beside=SideColumns(slices={"country": country}))
        sure = select(known, max_loss=0.9, certify_slices=True, answer="certified", cv=3, **QUICK)
        assert sure.proven
        assert "in every slice" in sure.chosen.risk
        one = sure.point.metrics[0]
        assert one.certified_loss <= one.certified_in_slices <= 0.9
        again = sure.within(one.certified_in_slices - 0.001)
        assert again.certified.k > sure.certified.k or again.certified.is_everything
        country = np.where(np.arange(90) < 5, "li", country)
        small = replace(data, beside=SideColumns(slices={"country": country}))
        blocked = select(small, max_loss=0.9, certify_slices=True, answer="certified", cv=3, **QUICK)
        assert blocked.certified.is_everything
        assert "country=li has too few queries to certify anything, which needs 30" in blocked.certified.reason

    def test_without_slices_it_is_refused(self, data):
        with pytest.raises(DataError, match="certify_slices needs slices, and these data have none"):
            select(replace(data, beside=SideColumns()), certify_slices=True, **QUICK)


class TestTime:
    def test_only_what_was_tested_counts(self, in_time):
        selection, _ = in_time
        assert "(the 36 earliest are never tested)" in selection.forecast.sentence()
        assert selection.nested["n_queries"] == selection.forecast.n_queries == 54
        assert sum(selection.per_query[name] for name in ("better", "worse", "same")) == 54
        assert len(selection.curve[0].per_fold) == 3

    def test_importance_over_time(self, in_time, tmp_path):
        selection, _ = in_time
        drift = selection.drift
        assert [window[0] for window in drift.windows] == [0.0] * 3
        assert [window[1] for window in drift.windows] == sorted(window[1] for window in drift.windows)
        spread = [max(row) - min(row) for row in drift.shares]
        assert spread == sorted(spread, reverse=True)
        selection.save(tmp_path / "features.json")
        assert load_selection(tmp_path / "features.json").drift == drift
        for text in (markdown(summarize(selection)), html(summarize(selection))):
            assert "Importance over time" in text
            assert "the folds in time" in html(summarize(selection))

    def test_the_journal_goes_on(self, data, in_time):
        selection, journal = in_time
        again = select(data, cv="time:3", max_loss=0.8, answer="certified", journal=journal, **QUICK)
        assert again.curve[0].mean == selection.curve[0].mean
        with pytest.raises(JournalMismatch, match="cv"):
            select(data, cv="time:2", max_loss=0.9, journal=journal, **QUICK)

    def test_without_a_time_it_is_refused(self, data):
        with pytest.raises(DataError, match="needs the time of every query, and these data have no such column"):
            select(replace(data, beside=SideColumns()), cv="time", **QUICK)

    def test_lean_selector(self, data):
        lean = LeanSelector(
            "ranksvm", methods=["gas"], effort="quick", cv="time:2", metrics=["map", "ndcg@5"], n_features_to_select=2
        ).fit(data)
        assert lean.n_features_ == 2
        assert len([name for name in lean.cv_results_ if name.startswith("split")]) == 2
