"""Do other people's readers see in the three files what was written?

Reads FOLDER/table.parquet with pyarrow, FOLDER/table.json with json and FOLDER/table.csv with csv, and compares them
cell by cell. Prints the number of rows.
"""

import csv
import datetime
import json
import sys

import pyarrow.parquet

DANGEROUS = ("=", "+", "-", "@", "\t", "\r")


def restored(cell):
    return cell[1:] if cell.startswith("'") and cell.lstrip("' ").startswith(DANGEROUS) else cell


def spelled(value):
    if isinstance(value, datetime.datetime):
        assert value.utcoffset() == datetime.timedelta(0), value
        return value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03}Z"
    return value.isoformat() if isinstance(value, datetime.date) else value


folder = sys.argv[1]
parquet = pyarrow.parquet.ParquetFile(f"{folder}/table.parquet")
assert parquet.metadata.num_row_groups > 1, "more than one row group is needed"
types = {field.name: str(field.type) for field in parquet.schema_arrow}
assert types == {
    "name": "string",
    "note": "string",
    "count": "int64",
    "share": "double",
    "good": "bool",
    "seen_at": "timestamp[ms, tz=UTC]",
    "seen_on": "date32[day]",
}, types
rows = [{name: spelled(value) for name, value in row.items()} for row in parquet.read().to_pylist()]

with open(f"{folder}/table.json", encoding="utf-8") as file:
    assert json.load(file) == rows, "json and parquet differ"

with open(f"{folder}/table.csv", encoding="utf-8", newline="") as file:
    lines = list(csv.reader(file))
assert lines[0] == list(types), lines[0]
assert len(lines) == len(rows) + 1
for line, row in zip(lines[1:], rows):
    assert not any(cell.startswith(DANGEROUS) for cell in line[:2]), line
    name, note, count, share, good, seen_at, seen_on = line
    assert (restored(name), restored(note)) == (row["name"], row["note"] or ""), line
    assert int(count) == row["count"], line
    assert (float(share) if share else None) == row["share"], line
    assert good == str(row["good"]).lower(), line
    assert (seen_at or None, seen_on or None) == (row["seen_at"], row["seen_on"]), line
print(len(rows))
