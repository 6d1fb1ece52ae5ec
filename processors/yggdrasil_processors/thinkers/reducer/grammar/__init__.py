"""A shallow grammar of English: what a sentence says of whom, clause by clause, without a model.

One file for each question: what is doubted, what stands before a verb, which verbs there are, what stands behind them,
what was done to a thing. A new verb is a row in ``verbs``, with a sentence in the tests; a new sort of value is a
function beside the others. It knows nothing of events, sessions or claims.
"""
