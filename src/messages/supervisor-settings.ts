/** What the supervisor itself does: metrics, export of spans, limits of logins. */

/** Most failed logins in any `window`, for one user and for one address. */
export interface LoginLimits {
  readonly perUser: number;
  readonly perAddress: number;
  readonly window: number;
}

export interface MetricsSettings {
  /** Where the supervisor serves them; undefined: nowhere. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  /** What a scrape needs; undefined: nothing. Never logged. */
  readonly token: string | undefined;
}

export interface TraceExportSettings {
  readonly url: string;
  /** Never logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
}
