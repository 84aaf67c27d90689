/** The examples of docs/registry.md, run by a shell one after the other, do what they say. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import { serveRegistry } from '../../serve/http/served-registry.js';
import { userToken } from '../../support/tokens.js';
import { without } from '../../support/programs.js';

const DOCUMENT = readFileSync(new URL('../../../../docs/registry.md', import.meta.url), 'utf8');

/** Times differ each time. */
const timeless = (text: string): unknown =>
  JSON.parse(text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'));

t.test('examples', { skip: without('curl') }, async (t) => {
  const { port } = await serveRegistry(t);
  const env = { ...process.env, URL: `http://127.0.0.1:${port}`, TOKEN: userToken('ann') };
  let examples = 0;
  for (const [, commands = '', wanted = ''] of DOCUMENT.matchAll(
    /^```sh\n(.*?)\n```\n\n```json\n(.*?)\n```$/gms,
  )) {
    const { stdout } = await promisify(execFile)('sh', ['-c', commands], { env });
    t.strictSame(timeless(stdout), timeless(wanted), commands);
    examples++;
  }
  t.equal(examples, DOCUMENT.split('```sh\n').length - 1, 'all of them');
});
