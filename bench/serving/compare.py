"""Published tokens per second of served models (figures.csv) beside what the GPUs' work alone would allow.

    build/triton-venv/bin/python bench/serving/compare.py      # after ./dev frameworks; docs/serving.md has the result
"""

import csv
import pathlib

import hipsight.torch


def main():
    with open(pathlib.Path(__file__).with_name("figures.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    print(f"{'model':<14}{'requests':>9}{'in':>6}{'out':>6}{'published':>11}{'predicted':>11}{'share':>7}  most of a step")
    for row in rows:
        served = hipsight.torch.serving(row["model"], row["gpu"], tensor_parallel=int(row["tensor_parallel"]),
                                        weights=row["weights"], cache=row["cache"])
        requests, tokens_in, tokens_out = (int(row[name]) for name in ("requests", "input", "output"))
        found = served.throughput(requests, tokens_in, tokens_out).output_tokens_per_second
        longest = served.forward(requests, tokens_in + (tokens_out + 1) // 2).steps[0]
        published = float(row["output_tokens_per_second"])
        print(f"{row['model']:<14}{requests:>9}{tokens_in:>6}{tokens_out:>6}{published:>11.0f}{found:>11.0f}"
              f"{published / found:>7.2f}  {longest.name}, {longest.share:.0%}")


if __name__ == "__main__":
    main()
