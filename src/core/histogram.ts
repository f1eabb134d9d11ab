// Percentiles from counted buckets. Bucket b holds the values up to 2^(b/8) milliseconds that bucket b-1 does not: each is
// about nine per cent wider than the one before, so that no percentile is further off than that, from one millisecond to a day.

export interface Bucket {
  bucket: number;
  n: number;
}

export interface Percentiles {
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

const PER_DOUBLING = 8;

/** The largest value of a bucket. */
export function bucketLimit(bucket: number): number {
  return 2 ** (bucket / PER_DOUBLING);
}

/** The bucket of a value; as `punctual.bucket_of` in the database. */
export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(PER_DOUBLING * Math.log2(ms));
}

export function percentiles(buckets: readonly Bucket[]): Percentiles {
  const sorted = buckets.filter(({ n }) => n > 0).toSorted((a, b) => a.bucket - b.bucket);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), p99: percentile(sorted, 0.99) };
}

/** How many values are above one, as far as the buckets tell: those of its own bucket do not count. */
export function countAbove(buckets: readonly Bucket[], ms: number): number {
  const own = bucketOf(ms);
  return buckets.reduce((sum, { bucket, n }) => (bucket > own ? sum + n : sum), 0);
}

/** The value that the share of all values does not exceed; within its bucket the values are taken as evenly spread. */
function percentile(sorted: readonly Bucket[], share: number): number | null {
  const total = sorted.reduce((sum, { n }) => sum + n, 0);
  const rank = share * total;
  let before = 0;
  for (const { bucket, n } of sorted) {
    if (before + n >= rank) {
      const from = bucket === 0 ? 0 : bucketLimit(bucket - 1);
      const value = from + ((rank - before) / n) * (bucketLimit(bucket) - from);
      return Math.round(value * 10) / 10;
    }
    before += n;
  }
  return null;
}
