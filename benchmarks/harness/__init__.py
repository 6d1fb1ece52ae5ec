"""Whether a memory saves an agent work: tools fail in ways that can be learnt, and steps are counted with and without.

``world`` draws tasks from a file and ``reading`` checks that; ``agent`` acts, the same in all arms; ``arms`` are the
memories that it is given; ``discovery`` and ``failures`` are two small proofs beside it; ``benchmark`` reports.
"""
