"""What docs/shadow_coverage.md says around its tables."""

HEADING = """# Intervals of shadow

{logs} made logs a line, whose mean loss of DCG@{k} is known, and {runs:,} runs over them; made by
`python -m benchmarks.shadow_coverage`. Each run draws queries as `shadow` does and computes a 95% interval of the mean
loss over all logged queries. Its mean width stands beside those of judging as many queries at random among all, each
times the square root of the share p that changes: 1 is about what judging among the changed ones alone would give.

- *Known*: Student's t with the variance that there is, which nobody knows who judges.
- *Same rule*: the interval that `shadow` itself makes of queries judged at random.
- *Narrowest*: what decides. Two intervals of queries judged at random can be had: the usual t, with the variance of
  the sample, and the same rule. This is the narrower one of those that cover at least {covers:.0%} in as many runs, and
  which it is. Where p is small the usual t has few losses to go by and covers far less than it says: it is no 95%
  interval, however narrow.

The last columns say how often these two cover."""
WHY = """
## Why rare losses need wide intervals

Of 50 judged queries, about six lose anything in the rare kind, which says little of those that were not judged. A kind
of query that makes up 7% of those that change is missed by all 50 in one case of 40 (0.93^50 = 2.5%): an interval that
holds 95 times in 100, whatever the losses are, has to allow that 7% that nobody has looked at lose all that their
documents can lose. Student's t allows no such thing, and the last columns show what comes of it. Against *known* the
interval is therefore several times as wide: *known* is what a judge could do who knew the variance of all losses before
judging any, and none that covers whatever the losses are is as narrow. Against intervals that know no more than it does
itself it is narrower. What to do about it is to judge more: see the lines with 200 and 1,000.

Two weak places are left, both between the bound and the spread. Where most queries lose a little and a few, of which
the sample may hold none, lose much (the large kind with 50 judged), the interval believes the spread of what it has
seen. And where a dozen or two of the judged queries lose or gain, most of them one way and a few of them much, it
covers less than it says: the unseen kind with 100 judged, and the same rule for queries judged at random in the rare
kind with 200 and 1,000 of them. Judging until thirty or more lose or gain is the remedy.

One line is wider than it should be: two-sided losses, 50 judged, p = 0.2. The usual t of as many queries at random
covers there although it sees six losses or gains, because those of either sign make up for each other, and it is narrow
on average because most such samples hold none of the large ones.

## How the rule was chosen

The rule, in full, stands in the docstring of `leanrank.evaluation.shadow.intervals.interval`: Student's t with Hajek's
variance, longer on the side to which most losses point by Hall's expansion, with fewer degrees of freedom where a good
part of all is judged, 3% longer for the approximate variance; and with fewer than twelve queries that lose or gain, a
bound for any losses that labels and moves of documents allow (Gaffke's).

Two of its numbers come from experience, the twelve and the factor 2 on the kurtosis. They and the shape of the rule
were chosen on logs made in all these ways but the unseen one, from other seeds, among 33 variants of the rule before
it. That one took its degrees of freedom from the kurtosis everywhere and was half as long again on one side with fewer
than 30 losses; it was wider than need be for sparse losses, and covered less for large ones, but more for the unseen
ones with 100 judged. Among the variants, corrections with the skewness of the sample (Johnson's, Hall's of 1992)
covered less than Student's t, since a sample that happens to be skewed one way misses the truth the other way;
intervals for weighted counts (Fay and Feuer's) were wider; a bound by betting (Waudby-Smith and Ramdas 2024) was wider
than Gaffke's with 50 and 100 judged; and with Gaffke's for fewer than ten losses only, and not twelve, 100 judged
queries with rare losses covered too rarely. Other kinds of losses may cover less often than the lowest line here, or
more."""
MACHINE_TEXT = """
## Machine-made labels

Prediction-powered intervals, 10,000 logged queries, graded labels, beside those of people's labels alone. A machine's
losses are the true ones (perfect), with noise of .75 standard deviations (good), noise alone, the true ones turned
round with noise (reversed), or half the true ones, noise and a constant error of 3 standard deviations (biased).

| machine | judged | p | covers | width / people's alone |
|---|---:|---:|---:|---:|"""
