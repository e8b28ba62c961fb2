"""What docs/shadow_coverage.md says around its tables."""

HEADING = """# Intervals of shadow

{logs} made logs a line, whose mean loss of DCG@{k} is known, and {runs:,} runs over them; made by
`python -m benchmarks.shadow_coverage`. Each run draws queries as `shadow` does and computes a 95% interval of the mean
loss over all logged queries. Its mean width stands beside those of judging as many queries at random among all, each
times the square root of the share p that changes: 1 is about what judging among the changed ones alone would give.

- *Known*: Student's t with the variance that there is, which nobody knows who judges.
- *Same rule*: the interval that `shadow` itself makes of queries judged at random. Of what can be had from judging at
  random it is the one that covers in every line.
- *Narrowest*: a stricter look, by hindsight. Two intervals of queries judged at random can be had: the usual t, with
  the variance of the sample, and the same rule. This is, line by line, the narrower one of those that cover at least
  {covers:.0%} in as many runs, and which it is. Where p is small the usual t has few losses to go by and covers far
  less than it says, and before judging nobody can tell in which of these lines he is.

The last columns say how often these two cover."""
WHY = """
## What was not seen

Of 50 judged queries, about six lose anything in the rare kind, and in the large kind one loses much, or none. A kind of
query that makes up 7% of those that change is missed by all 50 in one case of 40 (0.93^50 = 2.5%): an interval that
holds 95 times in 100, whatever the losses are, has to allow that 7% that nobody has looked at lose all that their
documents can lose. Student's t allows no such thing, and the last columns show what comes of it: it misses wherever the
sample holds none of the large losses, because its spread is small there. The interval of `shadow` allows the 7% a part
of what they can lose: all of it where nothing was seen to lose or gain, 2 / (2 + n) of it where n queries were, and at
least a sixth. *Known* is what a judge could do who knew the variance of all losses before judging any.

A sixth is experience and no law. Where one query in 50 loses all that labels allow and many others lose a little, a
third of the samples of 50 hold none of those (0.98^50 = 36%), and their intervals miss the truth. What helps is to
judge more: with 200 hardly any sample holds none.

Lines that are wider than they should be have one thing in common: the usual t of queries judged at random covers,
although most of its samples hold none of the large losses, because losses and gains that were not seen make up for each
other; and since its samples hold none, it is narrow, well below *known* (divide the column of *known* by that of the
narrowest). In the two-sided kind with 50 judged and p = 0.2 it sees six losses or gains. Nothing in a sample tells such
logs from others, in which t misses far more often than it says.

## How the rule was chosen

The rule, in full, stands in the docstring of `leanrank.evaluation.shadow.intervals.interval`: Student's t with Hajek's
variance, longer on the side to which most losses point by Hall's expansion, with fewer degrees of freedom where a good
part of all is judged, 3% longer for the approximate variance; and never shorter than what was not seen may lose.

Three of its numbers come from experience: the sixth, the 2 in 2 / (2 + n), and the factor 2 on the kurtosis. The last,
and the lengths by Student and Hall, were chosen on logs made as those of the first five kinds, from other seeds, among
33 variants. What is allowed for the unseen was chosen on 64 kinds of losses, 48 drawn as those above with other numbers
and 16 that nearly all lose or nearly all gain, among 164 settings of a dozen forms; 38 more that were drawn, and the
six with names from other seeds, were looked at on the way. Among the variants, corrections with the skewness of the
sample (Johnson's, Hall's of 1992) covered less than Student's t, since a sample that happens to be skewed one way
misses the truth the other way; intervals for weighted counts (Fay and Feuer's) were wider; and bounds for any losses
where fewer than twelve, twenty or thirty lose or gain (Gaffke's; by betting, Waudby-Smith and Ramdas 2024) were several
times as wide below that number, and the interval covered too rarely above it. Other kinds of losses may cover less
often than the lowest line here, or more."""
DRAWN_TEXT = """
## Drawn: {kinds} kinds that nobody looked at

Kinds whose numbers were drawn at random, with others than those that the rule was chosen on. How rich in relevant
documents a query is, is drawn from a Beta distribution; documents that go down and up are relevant so many times as
often; and relevant ones have the highest or at least the middle label with these probabilities.
"""
MACHINE_TEXT = """
## Machine-made labels

Prediction-powered intervals, 10,000 logged queries, graded labels, beside those of people's labels alone. A machine's
losses are the true ones (perfect), with noise of .75 standard deviations (good), noise alone, the true ones turned
round with noise (reversed), or half the true ones, noise and a constant error of 3 standard deviations (biased).

| machine | judged | p | covers | width / people's alone |
|---|---:|---:|---:|---:|"""
