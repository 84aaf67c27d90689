/**
 * The alert rules and the dashboard ask for metrics and labels that the service has, and each rule fires when it should,
 * and only then (alerts.cases.yaml).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { parse } from 'yaml';
import { createLogger } from '#app/observe/log.js';
import { TABLES } from '#app/observe/metrics/catalogue.js';
import { suffixOf } from '#app/observe/metrics/text-format.js';
import { ProcessMetrics } from '#app/serve/supervisor/process-metrics.js';
import { Scrape } from '#app/serve/supervisor/scrape.js';
import { without } from '../support/programs.js';
import { ALERT_CASES, ALERTS, alertRules, dashboard } from './monitoring-files.js';

/** Labels that Prometheus adds, and that of classic buckets. */
const GENERAL = ['instance', 'job', 'le'];

/** The names of all samples, and of all labels. */
function known(): { readonly names: ReadonlySet<string>; readonly labels: ReadonlySet<string> } {
  const names = new Set(['up']);
  const labels = new Set(GENERAL);
  for (const { fields, labels: own } of TABLES) {
    for (const label of own) labels.add(label);
    for (const field of fields) {
      if (field.label !== undefined) labels.add(field.label.name);
      if (field.kind === 'histogram')
        for (const part of ['bucket', 'sum', 'count']) names.add(`${field.name}_${part}`);
      else names.add(field.name + suffixOf(field));
    }
  }
  const log = createLogger({ level: 'silent', pretty: false }, {});
  for (const family of new Scrape(new ProcessMetrics(log)).families()) {
    if (family.kind !== 'histogram') names.add(family.name + suffixOf(family));
    for (const sample of family.samples) for (const [label] of sample.labels) labels.add(label);
  }
  return { names, labels };
}

function check(expressions: readonly string[]): void {
  const { names, labels } = known();
  t.ok(expressions.length > 0);
  for (const expression of expressions) {
    for (const [name] of expression.matchAll(/\b(?:up|[a-z0-9]+(?:_[a-z0-9]+)+)\b(?=[{[)])/g))
      t.ok(names.has(name), `${name} in ${expression}`);
    for (const [, list = ''] of expression.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of list.split(', ')) t.ok(labels.has(label), `${label} in ${expression}`);
    for (const [, label = ''] of expression.matchAll(/[{,] ?([a-z_]+)=~?"/g))
      t.ok(labels.has(label), `${label} in ${expression}`);
  }
}

t.test('the alert rules', (t) => {
  const rules = alertRules();
  check(rules.map(({ expr }) => expr));
  for (const { alert, annotations } of rules) t.ok(annotations.summary, alert);
  t.end();
});

t.test('the dashboard', (t) => {
  const { panels, templating } = dashboard();
  check(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, 'each panel has an id');
  const [source] = templating.list;
  t.match(source, { name: 'datasource', type: 'datasource', query: 'prometheus' });
  for (const { title, datasource } of panels) t.equal(datasource.uid, '${datasource}', title);
  t.end();
});

t.test('each alert rule has a case in which it fires', (t) => {
  const { tests } = parse(readFileSync(ALERT_CASES, 'utf8')) as {
    readonly tests: readonly {
      readonly alert_rule_test: readonly {
        readonly alertname: string;
        readonly exp_alerts: readonly object[];
      }[];
    }[];
  };
  const fired = tests
    .flatMap(({ alert_rule_test: cases }) => cases)
    .filter(({ exp_alerts: alerts }) => alerts.length > 0)
    .map(({ alertname }) => alertname);
  t.strictSame(
    [...new Set(fired)],
    alertRules().map(({ alert }) => alert),
  );
  t.end();
});

for (const [command, file] of [
  ['check', ALERTS],
  ['test', ALERT_CASES],
] as const)
  t.test(`promtool ${command} rules`, { skip: without('promtool') }, (t) => {
    const { status, stdout, stderr } = spawnSync('promtool', [command, 'rules', file], {
      encoding: 'utf8',
    });
    t.equal(status, 0, stdout + stderr);
    t.end();
  });
