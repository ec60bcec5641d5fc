"""What NVIDIA's own libraries answer, asked once on their hardware by one command, kept with the version that answered.

python -m dragoman.parity.nvidia --keep                    on a machine with an NVIDIA card: ask, and put the answers into the goldens
python -m dragoman.parity.nvidia --out FOLDER              the same, into FOLDER/answers.jsonl alone
python -m dragoman.parity.nvidia --keep FOLDER/answers.jsonl …   anywhere: put what was asked before into the goldens

`sweep`   every tuple of types of each typed function: which are taken, and whether the numbers are right
`probes`  helpers and the runtime: one call after the other, with what each answers
`suite`   the argument checks and the numbers of every function, judged by the oracles: the oracles are judged too

The same three run against our libraries (`--subject`), which is how the tests compare."""
