/** Draws rows as an SVG image: bars, or lines over time. The table beside it has the same numbers as text. */
import { h, s } from './dom.js';
import type { Bars, TimeSeries } from './plot-data.js';

const WIDTH = 720;
const ROW = 24;
const NAMES = 170;
const NUMBERS = 90;
const HEIGHT = 300;
const MARGIN = { left: 60, right: 16, top: 12, bottom: 28 };

export function plot(data: Bars | TimeSeries): HTMLElement {
  return data.kind === 'bars' ? bars(data) : lines(data);
}

function bars({ name, points }: Bars): HTMLElement {
  const values = points.map(({ value }) => value);
  const low = Math.min(0, ...values);
  const span = Math.max(0, ...values) - low || 1;
  const scale = (WIDTH - NAMES - NUMBERS) / span;
  const zero = NAMES - low * scale;
  const image = svg(points.length * ROW + 8, `${name}: ${points.length} bars`);
  points.forEach(({ label, value, text }, i) => {
    const y = i * ROW + 4;
    const width = Math.max(Math.abs(value) * scale, 1);
    image.append(
      s('text', { x: NAMES - 8, y: y + 15, 'text-anchor': 'end' }, shortened(label)),
      s(
        'rect',
        {
          x: value < 0 ? zero - width : zero,
          y: y + 3,
          width,
          height: ROW - 8,
          class: 'plot-0',
          rx: 2,
        },
        s('title', {}, `${label}: ${text}`),
      ),
      s('text', { x: Math.max(zero + value * scale, zero) + 6, y: y + 15 }, text),
    );
  });
  return h('figure', {}, image, h('figcaption', {}, name));
}

function lines({ labels, times, lines: all }: TimeSeries): HTMLElement {
  const values = all.flatMap((line) => line.values.filter((value) => value !== undefined));
  const low = Math.min(...values);
  const high = Math.max(...values);
  // From zero on, unless that would make the line flat.
  const bottom = low > 0 && low < high * 0.8 ? 0 : low;
  const step = stepOf((high - bottom) / 4 || 1);
  const from = Math.floor(bottom / step) * step;
  const ticks = Math.max(Math.ceil((high - from) / step), 1);
  const span = ticks * step;
  const first = times[0]!;
  const time = times.at(-1)! - first;
  const x = (i: number): number =>
    MARGIN.left + ((times[i]! - first) / time) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (value: number): number =>
    HEIGHT - MARGIN.bottom - ((value - from) / span) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const names = all.map(({ name }) => name).join(', ');
  const image = svg(HEIGHT, `${names} from ${labels[0]!} to ${labels.at(-1)!}`);
  for (let i = 0; i <= ticks; i++) {
    const value = from + step * i;
    image.append(
      s('line', {
        x1: MARGIN.left,
        x2: WIDTH - MARGIN.right,
        y1: y(value),
        y2: y(value),
        class: 'plot-grid',
      }),
      s('text', { x: MARGIN.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, compact(value)),
    );
  }
  const ends = { y: HEIGHT - 8 };
  image.append(
    s('text', { ...ends, x: MARGIN.left }, labels[0]),
    s('text', { ...ends, x: WIDTH - MARGIN.right, 'text-anchor': 'end' }, labels.at(-1)),
  );
  all.forEach((line, nth) => image.append(path(line.values, x, y, nth)));
  if (times.length <= 60)
    all.forEach((line, nth) => {
      line.values.forEach((value, i) => {
        if (value === undefined) return;
        const dot = s('circle', { cx: x(i), cy: y(value), r: 3, class: `plot-${nth}` });
        dot.append(s('title', {}, `${line.name}, ${labels[i]!}: ${value}`));
        image.append(dot);
      });
    });
  const legend = all.map(({ name }, nth) => h('span', { class: `legend plot-${nth}` }, name));
  return h('figure', {}, image, h('figcaption', {}, ...legend));
}

function path(
  values: readonly (number | undefined)[],
  x: (i: number) => number,
  y: (value: number) => number,
  nth: number,
): SVGElement {
  let d = '';
  let drawing = false;
  values.forEach((value, i) => {
    if (value !== undefined) d += `${drawing ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
    drawing = value !== undefined;
  });
  return s('path', { d, fill: 'none', class: `line plot-${nth}` });
}

function svg(height: number, label: string): SVGSVGElement {
  return s('svg', {
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: 'img',
    'aria-label': label,
    class: 'plot',
  });
}

function shortened(text: string): string {
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}

function compact(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 }).format(
    value,
  );
}

/** The least of 1, 2 or 5 times a power of ten that is not below a number. */
function stepOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((one) => one * power >= least) ?? 10);
}
