/** The scripts in a frame. */
import { compareText } from '../../base/text.js';
import {
  count,
  histogramOf,
  numberOf,
  quantileOf,
  rounded,
  sumOf,
  type Counted,
} from './counted.js';
import type { Series } from './metrics-reader.js';

export interface ScriptRow {
  readonly script: string;
  readonly database: string;
  /** Part of the time that all statements took, 0 to 1. */
  readonly share: number;
  readonly statementsPerSecond: number;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly errorsPerSecond: number;
  readonly rowsPerSecond: number;
  readonly bytesPerSecond: number;
  /** Part of its statements that ran in the slow lane, 0 to 1. */
  readonly slowLaneShare: number | null;
}

/** scriptRows lists the scripts, by the time of their statements. */
export function scriptRows(counted: Counted, seconds: number): ScriptRow[] {
  const durations = counted.series('db_client_operation_duration_seconds');
  const errors = byScript(counted.series('db_client_operation_errors_total'));
  const bytes = byScript(counted.series('db_client_operation_result_bytes_total'));
  const rows = byScript(counted.series('db_client_operation_result_rows_total'));
  const slow = byScript(counted.series('service_script_slow_lane_total'));
  const total = durations.reduce((sum, { value }) => sum + sumOf(value), 0);
  return durations
    .map(({ labels, value }): ScriptRow => {
      const key = scriptKey(labels);
      const histogram = histogramOf(value);
      const statements = count(histogram);
      return {
        script: labels.get('script') ?? '',
        database: labels.get('database') ?? '',
        share: total === 0 ? 0 : rounded(sumOf(value) / total),
        statementsPerSecond: rounded(statements / seconds),
        p50: quantileOf(histogram, 0.5),
        p99: quantileOf(histogram, 0.99),
        errorsPerSecond: rounded((errors.get(key) ?? 0) / seconds),
        rowsPerSecond: rounded((rows.get(key) ?? 0) / seconds),
        bytesPerSecond: Math.round((bytes.get(key) ?? 0) / seconds),
        // A scrape may fall between the two counts of a statement.
        slowLaneShare:
          statements === 0 ? null : rounded(Math.min(1, (slow.get(key) ?? 0) / statements)),
      };
    })
    .sort((a, b) => b.share - a.share || compareText(a.script, b.script));
}

function byScript(series: readonly Series[]): ReadonlyMap<string, number> {
  return new Map(series.map(({ labels, value }) => [scriptKey(labels), numberOf(value)]));
}

function scriptKey(labels: Series['labels']): string {
  return `${labels.get('script') ?? ''}\0${labels.get('database') ?? ''}`;
}
