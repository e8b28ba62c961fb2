"""logged_loss: what judges sent back, and the shadow that asked for it, as a loss that `select` takes."""

from __future__ import annotations

import os

from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.logged_loss import NAMELESS, LoggedLoss
from leanrank.evaluation.shadow.asked import Asked
from leanrank.evaluation.shadow.judging import Judged, read_judged
from leanrank.evaluation.shadow.shadow import Shadow


def logged_loss(
    judged: Judged | str | os.PathLike[str],
    shadow: Asked | Shadow | str | os.PathLike[str],
    *,
    metric: str = "ndcg@10",
    max_label: float | None = None,
    level: float = 0.95,
) -> LoggedLoss:
    """What judged queries of a log say that a model of fewer features loses, for `select` and `Selection.on_log`.

    Parameters
    ----------
    judged : Judged or path
        The file for judges with labels; its columns qid, document and label are needed.
    shadow : Asked, Shadow or path
        What the queries were drawn from: the report (.json) that `leanrank shadow --ask` wrote, what `Shadow.ask`
        returned, or the Shadow itself.
    metric : str, default="ndcg@10"
        That of the selection: NDCG to the depth that was shadowed.
    max_label : float, default=None
        The highest label there is; the highest that was given if not said.
    level : float, default=0.95

    Returns
    -------
    LoggedLoss

    Examples
    --------
    >>> import leanrank, tempfile
    >>> data, _ = leanrank.make_ranking(60, n_informative=3, n_redundant=3, n_noise=3, random_state=0)
    >>> full = leanrank.RankSVM().fit(data)
    >>> pruned = leanrank.RankSVM().fit(data.subset(data.feature_names[:4]))
    >>> asked = leanrank.shadow(data, full, pruned, k=5).ask(30)
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as answers:
    ...     _ = answers.write(asked.text().replace(",\\n", ",1\\n"))  # judges who find everything relevant
    ...     answers.flush()
    ...     print(abs(leanrank.logged_loss(answers.name, asked, metric="ndcg@5").mean) < 1e-12)
    True
    """
    drawn = shadow if isinstance(shadow, Asked | Shadow) else Asked.read(shadow)
    answers = judged if isinstance(judged, Judged) else read_judged(judged)
    if metric.lower() != f"ndcg@{drawn.k}":
        raise ParameterError(
            f"The first {drawn.k} places were shadowed, so judgements tell the loss of ndcg@{drawn.k}: select by that "
            f"metric, or shadow another number of places. Got {metric!r}."
        )
    if not drawn.features:
        raise DataError(f"{answers.where}: {NAMELESS}")
    loss = drawn.loss(answers, metric="ndcg", max_label=max_label, level=level)
    return LoggedLoss.of(loss.to_dict(), drawn.features, answers.where)
