"""One call: a selection, an engine's full feature set and perhaps a model in; the engine's pruned files out."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from leanrank.data.catalogue import Catalogue
from leanrank.data.text_file import read_text
from leanrank.errors import DataError, ParameterError
from leanrank.exports.featureset import FullSet, Kept, align, mapping_text
from leanrank.exports.linear import Normalizer, read_normalizers
from leanrank.exports.target import ENGINES, Target
from leanrank.exports.trees.forest import has_trees
from leanrank.rankers._base import Ranker
from leanrank.selectors.features_file import ChosenFeatures, read_selection


@dataclass(frozen=True)
class Export:
    """What an engine is to be given, as texts.

    Attributes
    ----------
    feature_set : str
        The pruned feature set. For Vespa, a rank profile.
    mapping : str
        JSON: the number of each feature before and after, and the copies that it stands for.
    model : str or None
        The model in the engine's format, if there is one to be a file of its own.
    features : tuple of Kept
        The features, in the order of the pruned set.
    """

    feature_set: str
    mapping: str
    model: str | None
    features: tuple[Kept, ...]


def engines() -> list[str]:
    """Names that `to` may have.

    >>> engines()
    ['elasticsearch', 'elasticsearch-ml', 'opensearch', 'solr', 'vespa', 'ranklib', 'lightgbm', 'xgboost']
    """
    return list(ENGINES)


def export_features(
    selection: str | os.PathLike[str] | ChosenFeatures,
    featureset: str | os.PathLike[str],
    *,
    to: str | Target,
    model: Ranker | None = None,
    normalizers: Any = None,
    by_position: bool = False,
    catalogue: Catalogue | None = None,
) -> Export:
    """Cut an engine's feature set down to a selection, numbered as the model's features are.

    Parameters
    ----------
    selection : path or ChosenFeatures
        The JSON of `leanrank select`.
    featureset : path
        The engine's full feature set: see the modules of `leanrank.exports` for the formats.
    to : str or Target
        The engine: one of `engines()`, or a `Target` with its version, the model's name and what a feature is whose
        query does not match.
    model : Ranker, optional
        Trained on exactly the selected features. Linear ones, and the trees of LightGBM, XGBoost and CatBoost, go to
        Elasticsearch, OpenSearch, Solr, Vespa and RankLib; trees alone to Elasticsearch's own learning to rank; a
        model of XGBoost to XGBoost, of LightGBM to LightGBM.
    normalizers : dict, optional
        How the model's data were scaled, by constants: `{"bm25": {"min_max": {"minimum": 0, "maximum": 20}}}` or
        `{"bm25": {"standard": {"mean": 5, "standard_deviation": 2}}}`. Scaling by query (`QueryMinMaxScaler`)
        cannot be exported: an engine does not know the other documents of the query when it scores one.
    by_position : bool, default=False
        Features are found in the set by their names. True: feature 3 of the data is the third of the set.
    catalogue : Catalogue or None, default=None
        What features are, for the mapping and for comments, where the format has them (RankLib, Vespa); None takes what
        the selection was made with. The names of features in the engine stay as they are.

    Returns
    -------
    Export

    See Also
    --------
    Target : The engine's version, and features without a value.
    """
    target = to if isinstance(to, Target) else Target(to)
    if model is not None and model.categories_ is not None:
        raise DataError(
            f"The model has the category {next(iter(model.categories_.texts))!r}, and {target.engine} knows numbers "
            "only: train a model without it (--drop), or score with `leanrank predict`."
        )
    engine = _engine(target.engine)
    chosen = selection if isinstance(selection, ChosenFeatures) else read_selection(selection)
    if catalogue is not None:
        chosen = replace(chosen, catalogue=catalogue)
    full: FullSet = engine.parse(read_text(featureset), str(featureset))
    kept = align(chosen, full, None if model is None else _model_names(model, chosen), by_position=by_position)
    if normalizers and model is None:
        raise DataError("Normalizers are part of a model: give the model as well.")
    if target.unmatched == "missing" and model is not None and not has_trees(model):
        raise ParameterError(
            "To a linear model a feature without a value is 0: unmatched 'missing' is for models of trees."
        )
    norms: dict[str, Normalizer] = read_normalizers(normalizers, full, kept) if normalizers else {}
    model_text = None if model is None else engine.model(model, full, kept, norms, target)
    if target.engine == "vespa":
        pruned = engine.profile(model, kept, norms, target)
    else:
        pruned = engine.feature_set(full, kept, target)
    return Export(pruned, mapping_text(kept), model_text, kept)


def model_suffix(to: str) -> str:
    """What the name of a model's file for the engine ends in: ".model.json" or ".model.txt"."""
    return str(_engine(Target(to).engine).MODEL_SUFFIX)


def _engine(to: str) -> Any:
    formats = "elasticsearch" if to == "opensearch" else to.replace("-", "_")  # its plugin has the same formats
    return import_module(f"leanrank.exports.{formats}")


def _model_names(model: Ranker, chosen: ChosenFeatures) -> list[str]:
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return [str(name) for name in names]
    n = model.n_features_in_
    if n != len(chosen.names):
        raise DataError(
            f"The model has {n:,} features without names, the selection {len(chosen.names):,}. Train it on the "
            "selection: leanrank train FILE --features features.json."
        )
    by_id = sorted(zip(chosen.ids, chosen.names, strict=True))
    return [name for _, name in by_id]
