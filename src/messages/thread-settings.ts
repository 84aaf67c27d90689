/** Where a thread logs and counts, and what it traces. Times are milliseconds. */

export interface LogSettings {
  /** pino's level names, or `silent`. */
  readonly level: string;
  /** Readable lines instead of JSON. */
  readonly pretty: boolean;
}

/** Where a thread counts for metrics, see observe/metrics/thread.ts. */
export interface MetricsPlace {
  /** Descriptor of the memory that its process shares with the supervisor. */
  readonly memory: number;
  /** Number of its block there. */
  readonly block: number;
  /** Index of its HTTP process. */
  readonly process: number;
  /** Its name in that process. */
  readonly thread: string;
}

export interface TraceSettings {
  /** Part of the requests whose spans are kept, from 0 to 1. */
  readonly ratio: number;
  /** Most requests a second whose spans are kept because their caller asks for it; 0: callers decide nothing. */
  readonly callers: number;
  /** Duration from which the spans of a request are kept in any case; 0: of none. */
  readonly slow: number;
  /** Whether `application_name` of statements has the trace id. */
  readonly applicationName: boolean;
}

export interface WorkerTraceSettings extends Pick<TraceSettings, 'slow' | 'applicationName'> {
  /** A random text of the HTTP process, from which the ids of traces are derived. */
  readonly seed: string;
}
