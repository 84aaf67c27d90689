/** A plot has its axes, units and lines, every number in its frame, and nothing that a page could run or load. */
import t from 'tap';
import { svgOf, type Plot } from './plot.js';

const plot = (values: readonly number[]): Plot => ({
  title: 'Memory of <all> & "one"',
  unit: 'MiB',
  lines: [
    { name: 'first', points: values.map((value, i) => [i, value]), trend: [[1, 2], [3, 2]] },
    { name: 'second', points: values.map((value, i) => [i, value / 2]) },
  ],
  marks: [0.5, 1],
  warmUp: 1,
}); // prettier-ignore

for (const values of [[0, 0, 0, 0], [1, 2, 3, 4], [250, 300, 275, 260], [0, 12_345, 1, 9]])
  t.test(`values up to ${Math.max(...values)}`, (t) => {
    const svg = svgOf(plot(values));
    t.match(svg, /^<svg [^>]*viewBox="0 0 860 360"/);
    t.equal(svg.match(/<polyline /g)?.length, 2);
    for (const text of ['first', 'second', 'MiB', 'minutes', 'end of the warm-up', 'Memory of &lt;all> &amp; &quot;one&quot;'])
      t.ok(svg.includes(`>${text}</text>`), text);
    t.notMatch(svg, /NaN|Infinity|undefined|<script|href=/);
    const places = [...svg.matchAll(/points="([^"]*)"/g)].flatMap((match) => match[1]!.split(' '));
    for (const place of places) {
      const [x = -1, y = -1] = place.split(',').map(Number);
      t.ok(x >= 0 && x <= 860 && y >= 60 && y <= 360, place);
    }
    t.end();
  }); // prettier-ignore
