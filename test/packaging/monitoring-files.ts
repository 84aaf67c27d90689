/** The alert rules and the dashboard of packaging/monitoring, and the configuration for Prometheus that the docs show. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

// Seen from dist-test/test/packaging.
const PROJECT = new URL('../../../', import.meta.url);

/** The file with the alert rules. */
export const ALERTS = fileURLToPath(new URL('packaging/monitoring/alerts.yaml', PROJECT));

/** Cases of promtool for these rules. */
export const ALERT_CASES = fileURLToPath(new URL('test/packaging/alerts.cases.yaml', PROJECT));

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

/** alertRules reads all alert rules. */
export function alertRules(): readonly Rule[] {
  const { groups } = parse(readFileSync(ALERTS, 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

interface Target {
  readonly expr: string;
  readonly legendFormat?: string;
}

export interface Panel {
  readonly id: number;
  readonly title: string;
  readonly datasource: { readonly uid: string };
  readonly gridPos: Readonly<Record<'h' | 'w' | 'x' | 'y', number>>;
  readonly targets: readonly Target[];
}

export interface Variable {
  readonly name: string;
  readonly type: 'datasource' | 'query';
  /** For variables of a data source. */
  readonly query: string | { readonly query: string };
  readonly allValue?: string;
}

export interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
}

/** dashboard reads the dashboard for Grafana. */
export function dashboard(): Dashboard {
  const file = new URL('packaging/monitoring/grafana-dashboard.json', PROJECT);
  return JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
}

export interface ScrapeConfiguration {
  readonly job_name: string;
  readonly authorization: { readonly credentials_file: string };
}

/** documentedScrape is the only entry of `scrape_configs` in docs/observability.md. */
export function documentedScrape(): ScrapeConfiguration {
  const docs = readFileSync(new URL('docs/observability.md', PROJECT), 'utf8');
  const [, text = ''] = /^```yaml\n(# prometheus\.yml\n.*?)^```$/ms.exec(docs) ?? [];
  const { scrape_configs: entries } = parse(text) as {
    readonly scrape_configs: readonly ScrapeConfiguration[];
  };
  if (entries.length !== 1) throw new Error(`${entries.length} entries`);
  return entries[0]!;
}
