/** The commands at the top of the Dockerfile. */
import { readFileSync } from 'node:fs';
import t from 'tap';

const DOCKERFILE = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');

t.test('the port is published on the loopback address only', (t) => {
  const published = [...DOCKERFILE.matchAll(/^#.* -p (\S+)/gm)].map(([, ports]) => ports);
  t.strictSame(published, ['127.0.0.1:3000:3000']);
  t.end();
});
