/**
 * The text formats of a scrape: Prometheus 0.0.4 and OpenMetrics 1.0.0. Histograms have classic buckets in both. The two
 * differ in the names of counters' families, in units, and in the last line.
 */
import { classicBounds, classicCounts, countOf, type Histogram } from './histogram.js';
import type { Family, Labels } from './families.js';

export function prometheusText(families: readonly Family[]): string {
  return families
    .map((family) => {
      const suffix = suffixOf(family);
      const type = family.kind === 'info' ? 'gauge' : family.kind;
      const name = family.name + suffix;
      const head = `# HELP ${name} ${escapeHelp(family.help)}\n# TYPE ${name} ${type}\n`;
      return head + samplesText(family, name);
    })
    .join('');
}

export function openMetricsText(families: readonly Family[]): string {
  const texts = families.map((family) => {
    const { name, kind, unit, help } = family;
    const units = unit === '' ? '' : `# UNIT ${name} ${unit}\n`;
    const head = `# HELP ${name} ${escapeValue(help)}\n# TYPE ${name} ${kind}\n${units}`;
    return head + samplesText(family, name + suffixOf(family));
  });
  return `${texts.join('')}# EOF\n`;
}

/** suffixOf is what the names of a family's samples have behind its own. */
export function suffixOf({ kind }: Pick<Family, 'kind'>): string {
  return kind === 'counter' ? '_total' : kind === 'info' ? '_info' : '';
}

function samplesText({ samples }: Family, name: string): string {
  let text = '';
  for (const { labels, value } of samples)
    text +=
      typeof value === 'number'
        ? `${name}${braced(labelText(labels))} ${numberText(value)}\n`
        : histogramText(name, labels, value);
  return text;
}

function histogramText(name: string, labels: Labels, histogram: Histogram): string {
  const own = labelText(labels);
  const before = own === '' ? '' : `${own},`;
  const counts = classicCounts(histogram);
  let text = '';
  const bounds = boundTexts(histogram.least);
  for (let i = 0; i < bounds.length; i++)
    text += `${name}_bucket{${before}le="${bounds[i]}"} ${counts[i]}\n`;
  const count = countOf(histogram);
  text += `${name}_bucket{${before}le="+Inf"} ${count}\n`;
  const { sum } = histogram;
  return `${text}${name}_sum${braced(own)} ${numberText(sum)}\n${name}_count${braced(own)} ${count}\n`;
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}

function labelText(labels: Labels): string {
  return labels.map(([name, value]) => `${name}="${escapeValue(value)}"`).join(',');
}

const BOUNDS = new Map<number, readonly string[]>();

/** The classic bounds as texts, for an exponent of the least bound. OpenMetrics wants a point in each. */
function boundTexts(least: number): readonly string[] {
  let texts = BOUNDS.get(least);
  if (texts === undefined) {
    texts = classicBounds(least).map((bound) =>
      Number.isInteger(bound) ? bound.toFixed(1) : String(bound),
    );
    BOUNDS.set(least, texts);
  }
  return texts;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
