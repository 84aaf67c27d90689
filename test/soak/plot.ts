/** Plots of series over time as SVG: readable on a light and on a dark page, with axes, units and a legend. */
import type { Point } from './trend.js';

export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
  /** A line that is drawn dashed through the points from here on: its first and its last point. */
  readonly trend?: readonly [Point, Point] | undefined;
}

export interface Plot {
  readonly title: string;
  /** Of the values: `MiB`. */
  readonly unit: string;
  readonly lines: readonly Line[];
  /** Minutes at which something happened, drawn as ticks on the axis. */
  readonly marks: readonly number[];
  /** Where the warm-up ends (minutes). */
  readonly warmUp: number;
}

const WIDTH = 860;
const HEIGHT = 360;
const LEFT = 62;
const RIGHT = 20;
const TOP = 84;
const BOTTOM = 46;

/** Told apart by those who do not see all colours, on white as on black. */
const COLOURS = ['#2f81f7', '#d1741f', '#2da44e', '#b559d6', '#d43f5e', '#8a8f98'];

/** svgOf draws a plot; `at` of its points is in minutes. */
export function svgOf({ title, unit, lines, marks, warmUp }: Plot): string {
  const all = lines.flatMap(({ points }) => points);
  const lastMinute = Math.max(...all.map(([at]) => at), 1);
  const step = stepFor(Math.max(...all.map(([, value]) => value), 1));
  const top = step * Math.ceil(Math.max(...all.map(([, value]) => value), 1) / step);
  const x = (at: number): string => (LEFT + (at / lastMinute) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (value: number): string =>
    (HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const parts: string[] = [];
  const text = (content: string, at: string, attributes = ''): number =>
    parts.push(`<text ${at} ${attributes}>${escaped(content)}</text>`);
  const rule = (x1: string, y1: string, x2: string, y2: string, kind: string): number =>
    parts.push(`<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" class="${kind}"/>`);

  text(title, 'x="12" y="24"', 'class="title"');
  for (let value = 0; value <= top; value += step) {
    rule(String(LEFT), y(value), String(WIDTH - RIGHT), y(value), 'grid');
    text(String(Number(value.toFixed(6))), `x="${LEFT - 8}" y="${Number(y(value)) + 4}"`, 'text-anchor="end"'); // prettier-ignore
  }
  text(unit, `x="${LEFT - 8}" y="${TOP - 12}"`, 'text-anchor="end"');
  const minutes = lastMinute > 12 ? 2 : 1;
  for (let at = 0; at <= lastMinute; at += minutes)
    text(String(at), `x="${x(at)}" y="${HEIGHT - BOTTOM + 20}"`, 'text-anchor="middle"');
  text('minutes', `x="${WIDTH - RIGHT}" y="${HEIGHT - 8}"`, 'text-anchor="end"');
  const foot = HEIGHT - BOTTOM;
  for (const at of marks) rule(x(at), String(foot), x(at), String(foot + 6), 'mark');
  if (warmUp > 0 && warmUp < lastMinute) {
    rule(x(warmUp), String(TOP), x(warmUp), String(foot), 'warm-up');
    text('end of the warm-up', `x="${Number(x(warmUp)) + 5}" y="${TOP - 6}"`);
  }
  let legend = 12;
  for (const [i, { name, points, trend }] of lines.entries()) {
    const colour = COLOURS[i % COLOURS.length]!;
    const path = points.map(([at, value]) => `${x(at)},${y(value)}`).join(' ');
    parts.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.6"/>`);
    if (trend !== undefined) {
      const [[fromAt, from], [toAt, to]] = trend;
      parts.push(`<line x1="${x(fromAt)}" y1="${y(from)}" x2="${x(toAt)}" y2="${y(to)}" stroke="${colour}" stroke-width="2.4" stroke-dasharray="7 5"/>`); // prettier-ignore
    }
    parts.push(`<rect x="${legend}" y="36" width="12" height="12" rx="2" fill="${colour}"/>`);
    text(name, `x="${legend + 17}" y="46"`);
    legend += 40 + name.length * 6.6;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
<style>${STYLE}</style>
<rect width="${WIDTH}" height="${HEIGHT}" class="page"/>
${parts.join('\n')}
</svg>
`;
}

const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #40464f }
.title { font-size: 15px; font-weight: 600; fill: #1b1f24 }
.page { fill: #ffffff }
.grid { stroke: #d5d9df; stroke-width: 1 }
.mark { stroke: #6e7781; stroke-width: 1 }
.warm-up { stroke: #6e7781; stroke-width: 1; stroke-dasharray: 2 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #b6bdc7 }
  .title { fill: #e8ebef }
  .page { fill: #15191f }
  .grid { stroke: #2c333c }
}
`;

/** A step of 1, 2 or 5 times a power of ten, with which an axis has four to ten lines. */
function stepFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => most / step <= 8)!;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
