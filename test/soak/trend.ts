/** The trend of a series: the line of least squares through its points. */

export type Point = readonly [at: number, value: number];

export interface Trend {
  /** The value of the line at the beginning and at the end. */
  readonly from: number;
  readonly to: number;
  /** Growth in ten minutes, as a part of the mean. */
  readonly growth: number;
}

/** Seconds to which the growth refers. */
const SPAN = 600;

/** trendOf fits the line; `at` is in seconds. Throws RangeError for fewer than two moments. */
export function trendOf(points: readonly Point[]): Trend {
  const count = points.length;
  const mean = (pick: (point: Point) => number): number =>
    points.reduce((all, point) => all + pick(point), 0) / count;
  const at = mean(([x]) => x);
  const value = mean(([, y]) => y);
  const spread = mean(([x]) => (x - at) ** 2);
  if (!(spread > 0)) throw new RangeError('a trend needs two moments');
  const slope = mean(([x, y]) => (x - at) * (y - value)) / spread;
  const line = (x: number): number => value + slope * (x - at);
  return {
    from: line(points[0]![0]),
    to: line(points.at(-1)![0]),
    growth: (slope * SPAN) / value,
  };
}
