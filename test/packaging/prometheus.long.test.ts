/**
 * Prometheus scrapes a service as the docs show it, evaluates the alert rules, and finds numbers for the queries of the
 * dashboard, with the variables replaced as Grafana does.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { callTool } from '../support/mcp.js';
import { startOwnPostgres } from '../support/postgres.js';
import { Prometheus } from '../support/prometheus.js';
import { without } from '../support/programs.js';
import { metricsUrl } from '../support/scrape.js';
import { startService } from '../support/service.js';
import { startStandby } from '../support/standby.js';
import { SECRET, userToken } from '../support/tokens.js';
import { until } from '../support/until.js';
import { ALERTS, alertRules, dashboard, documentedScrape } from './monitoring-files.js';

const TOKEN = 'a-token-of-the-metrics';

/** Series of alert rules that begin with their first event: a rate, which the rule wants for minutes, is seen later. */
const LATE_SERIES = [
  'http_server_request_duration_seconds_count{status=~"5.."}',
  'http_server_request_duration_seconds_count',
];

interface RuleState {
  readonly name: string;
  readonly state: string;
  readonly health: string;
  readonly lastError?: string;
}

t.test('Prometheus', { skip: without('prometheus') }, async (t) => {
  const primary = await startOwnPostgres(t, { setup: 'CREATE TABLE things (id int)' });
  const standby = await startStandby(t, primary);
  const service = await startService(t, {
    database: primary.url,
    scripts: {
      'shop/one.read.sql': 'SELECT 1 AS one',
      'shop/bad.read.sql': 'SELECT 1 / {{sqlVal "n"}}::int',
      'shop/slow.read.sql': 'SELECT pg_sleep(0.1)',
    },
    config: {
      'metrics.listen': '127.0.0.1:0',
      'metrics.token': TOKEN,
      'log.slow': '50ms',
      'pg.replicas': [standby.url],
      'auth.enabled': true,
      'auth.migrate_on_startup': false,
      'jwt.key': SECRET,
    },
  });
  const headers = { authorization: `Bearer ${userToken('ann')}` };
  const { host } = new URL(await metricsUrl(service));
  const file = path.join(service.folder, 'prometheus.token');
  writeFileSync(file, TOKEN);
  const scrape = documentedScrape();
  const prometheus = await Prometheus.start(t, {
    global: { evaluation_interval: '1s' },
    rule_files: [ALERTS],
    scrape_configs: [
      {
        ...scrape,
        scrape_interval: '1s',
        scrape_timeout: '1s',
        authorization: { ...scrape.authorization, credentials_file: file },
        static_configs: [{ targets: [host] }],
      },
    ],
  });

  await t.test('the target', async () => {
    interface Target {
      readonly health: string;
    }
    await until(async () => {
      const { activeTargets } = await prometheus.get<{ activeTargets: Target[] }>('targets');
      return activeTargets.length === 1 && activeTargets[0]?.health === 'up';
    });
  });

  await t.test('series of the alert rules are there before anything happens', async (t) => {
    const selectors = new Set(
      alertRules().flatMap(
        ({ expr }) =>
        [...expr.matchAll(/\b[a-z0-9]+(?:_[a-z0-9]+)+(?:\{[^}]*\}|(?=\[))|\bup\{[^}]*\}/g)].map(([all]) => all), // prettier-ignore
      ),
    );
    for (const selector of selectors) {
      const found = (await prometheus.query(selector)).length > 0;
      t.equal(found, !LATE_SERIES.includes(selector), selector);
    }
  });

  await t.test('the alert rules', async (t) => {
    const states = async (): Promise<readonly RuleState[]> => {
      const { groups } = await prometheus.get<{ groups: { rules: RuleState[] }[] }>('rules');
      return groups.flatMap(({ rules }) => rules);
    };
    await until(async () => (await states()).every(({ health }) => health !== 'unknown'));
    const rules = await states();
    t.strictSame(
      rules.map(({ name }) => name),
      alertRules().map(({ alert }) => alert),
    );
    for (const { name, health, lastError, state } of rules)
      t.match({ health, lastError, state }, { health: 'ok', lastError: undefined, state: 'inactive' }, name); // prettier-ignore
  });

  const { panels, templating } = dashboard();
  const variable = templating.list.find(({ name }) => name === 'instance')!;
  const values: Readonly<Record<string, string>> = {
    all: variable.allValue!,
    // Grafana escapes for a regular expression, in a string of PromQL.
    one: host.replaceAll('.', String.raw`\\.`),
  };

  await t.test('the variable of the dashboard', async (t) => {
    const { query } = variable.query as { query: string };
    const [, series = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
    const found = await prometheus.get(`label/${label}/values`, { 'match[]': series });
    t.strictSame(found, [host], query);
  });

  for (const [which, instance] of Object.entries(values))
    await t.test(`the dashboard, ${which}`, async (t) => {
      const replaced = (expression: string): string =>
        expression
          .replaceAll('$__rate_interval', '1m')
          .replaceAll('$__interval', '15s')
          .replaceAll('$instance', instance);
      const waiting = new Map(
        panels.flatMap(({ title, targets }) =>
          targets.map(({ expr, legendFormat = '' }): [string, string] => [
            `${title}: ${legendFormat}`,
            replaced(expr),
          ]),
        ),
      );
      t.ok(waiting.size > panels.length);
      for (const expression of waiting.values()) t.notMatch(expression, /\$/);
      // A rate needs two scrapes with the series, and requests between them.
      await until(async () => {
        t.equal((await service.ask('shop/one', { headers })).status, 200);
        t.equal((await service.ask('shop/slow', { headers })).status, 200);
        t.equal((await service.ask('shop/bad?n=0', { headers })).status >= 400, true);
        t.equal((await service.ask('shop/one')).status, 401);
        t.notOk((await callTool(service, 'service.list_tables', {}, { headers })).isError);
        for (const [name, expression] of waiting) {
          const samples = await prometheus.query(expression);
          if (samples.some(({ value: [, value] }) => value !== 'NaN')) waiting.delete(name);
        }
        return waiting.size === 0;
      });
      t.equal(waiting.size, 0, 'every query finds numbers');
    });
});
