#!/usr/bin/env bash
# measure.sh [COPIES]: seconds and bytes of value and gradient of examples/linear.gram, for 1, 2, 4 and 8 shards, over COPIES (200)
# of its 1461 rows. Each shard is a file. Seconds are those of the pipeline, the best of three, without the start of the process.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
copies=${1:-200}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/gram-beam" ./cmd/gram-beam
data=../examples/seattle-weather.csv
for _ in $(seq "$copies"); do tail -n +2 "$data"; done >"$dir/rows"
echo "$(wc -l <"$dir/rows") rows, $(wc -c <"$dir/rows") bytes, $(getconf _NPROCESSORS_ONLN) cores, load average $(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo unknown)"
for shards in 1 2 4 8; do
	rm -rf "$dir/parts" && mkdir "$dir/parts"
	split -n "l/$shards" "$dir/rows" "$dir/parts/x"
	for part in "$dir"/parts/x*; do
		head -n 1 "$data" | cat - "$part" >"$part.csv"
		rm "$part"
	done
	for _ in 1 2 3; do
		"$dir/gram-beam" sum ../examples/linear.gram --over rows --mean --shards "$shards" --input "$dir/parts/*.csv" --stats 2>&1 >/dev/null |
			sed "s/^pipeline:/$shards shards:/"
	done | sort -k 3 -g | head -n 1
done
