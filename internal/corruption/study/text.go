package study

const headText = `# How faults in the tables end

Written by ` + "`mediant study corruption -o docs/corruption.md`" + `, with the folder of real tables as --data. %d runs of %d kinds of
faults, each at three strengths and in either table where that has a meaning, on pairs of tables whose truth is known:

- curve: numbers, E[Y|U] curved; survey: levels and numbers; codes: whole-number codes; skew: long tails; classes: Y is one of three
  classes; trial: the effect of a 0/1 treatment through surrogates;
- real ones: rows of the tables of docs/real-tables.md, and the effect of the assignment in Job Corps.

A table has %d rows, %d coupled ones (or all that there are) give the true error. The command is ` + "`fit`" + ` or ` + "`effect`" + ` with
no flag, but that only one fit in %d, none of free text, searches for its settings; those of the others are fixed (` + "`%s`" + `; linear
Nyström features for free text), which does not change the checks of the tables.

- Refused: exit status 1, or no number; in parentheses how many name the column, or the fault where it is one of the table.
- Named: a finding, warning or note, which the clean pair does not have, names the column, or the fault where it is one of the table; in
  parentheses how many of the results are right all the same.
- Warned: a warning names another column, or U as a whole.
- Right: none of these, and the true error of the model (on coupled rows with the X of the kind that it was fitted to), or the true effect, is
  within the 95 %% interval, widened by the error of the truth; where the result says that it is of part of the rows, within its bounds over all.
- Negligible: it is not, but the fault moved the error of the estimate by less than a tenth of the interval's width.
- Wrong as clean: it is not, and not on the clean pair either, as happens by chance in one case of twenty, or because X says more about Y than U does.
- Unseen wrong: not within, where the fault cannot be seen in these two tables.
- By chance: silent wrong, but on at most a tenth of 20 other draws of the pair (those whose clean pair is right): the fault only made another
  sample.
- Silent wrong: not within, moved by more, and without a finding.

`

const pairsText = `
## By pair

`

const runsText = `| corruption | strength | place | pair | seed | estimate | interval | truth | moved, in widths | on other draws |
|---|---|---|---|---|---|---|---|---|---|
`

const silentText = `
## Silent wrong numbers

` + "`mediant study corruption --only CORRUPTION --pair PAIR --seed SEED --draws 1`" + ` does them again.

`

const chanceText = `
## By chance

Silent wrong in these runs, but on at most a tenth of 20 other draws.

`

const notComparedText = `
## Not compared

Coupled rows could not be compared with the model: ranges in the place of numbers make labels of Y, and classes of the model.

`

const unseenText = `
## What no one could see in these two tables

- All of Y in another unit, on another scale or under other names of its classes: nothing in the tables says how Y is measured, and the model predicts
  what the second table calls Y. ` + "`mediant check`" + ` shows its range, median and most frequent values.
- Rows of X or Y, all of them, or of a column that does not depend on U (no sign of it in the clean table: p above 0.01), in a random order: tables
  where they are independent look the same. The result says "U explains ... % of the variance of Y".
- Values of Y that were changed within the range of Y, or left out because of what they are.

All that users read is the result itself: "risk MSE ..., 95 % interval ... (RMSE ...), if E[Y|U,X] = E[Y|U]", "effect of ... on ...: ...", and of a fit the
sentences of its diagnosis. The wrong runs, with one example each:

| corruption | place | wrong runs | example: strength, pair, seed, result | truth |
|---|---|---|---|---|
`
