import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const CRUISER = path.join(PROJECT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

/** check checks a tree of these files against the project's rules. */
function check(t: Test, files: Record<string, string>): Outcome {
  const root = t.testdir({ src: {}, workers: {}, test: {} });
  for (const name of ['.dependency-cruiser.mjs', 'tsconfig.base.json', 'package.json']) {
    fs.copyFileSync(path.join(PROJECT, name), path.join(root, name));
  }
  fs.symlinkSync(path.join(PROJECT, 'node_modules'), path.join(root, 'node_modules'));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  }
  const args = [CRUISER, '--config', '.dependency-cruiser.mjs', 'src', 'workers', 'test'];
  const done = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { status: done.status, output: `${done.stdout}${done.stderr}` };
}

const VALUE = 'export const b = 1;\n';

/** Rule, importing file, what it imports, and the line that does. */
const refused: [rule: string, from: string, to: string, line: string][] = [
  ['arrow-serve', 'src/serve/a.ts', 'src/template/a.ts', "import '../template/a.js';"],
  ['arrow-serve', 'src/serve/b.ts', 'src/script/a.ts', "import type { C } from '../script/a.js';"],
  ['arrow-serve', 'src/serve/e.ts', 'src/worker/b.ts', "import '../worker/b.js';"],
  ['arrow-worker', 'src/worker/c.ts', 'src/serve/f.ts', "import '../serve/f.js';"],
  ['arrow-template', 'src/template/b.ts', 'src/native/a.ts', "import '../native/a.js';"],
  ['arrow-postgres', 'src/postgres/b.ts', 'src/serve/c.ts', "await import('../serve/c.js');"],
  ['arrow-workers', 'workers/a.ts', 'dist/serve/a.js', "import '#app/serve/a.js';"],
  ['owner-piscina', 'src/serve/http/d.ts', 'node_modules/piscina', "import 'piscina';"],
  [
    'owner-uWebSockets.js',
    'src/serve/pool/a.ts',
    'node_modules/uWebSockets.js',
    "import 'uWebSockets.js';",
  ],
  ['owner-pg-native', 'src/worker/a.ts', 'node_modules/pg-native', "import 'pg-native';"],
  ['owner-pino', 'src/commands/a.ts', 'node_modules/pino', "import 'pino';"],
  ['owner-tap', 'src/serve/pool/b.ts', 'node_modules/tap', "import 'tap';"],
  [
    'no-development-package',
    'src/postgres/c.ts',
    'node_modules/typescript',
    "import 'typescript';",
  ],
  ['known-wing', 'src/commands/b.ts', 'src/extra/a.ts', "import '../extra/a.js';"],
  ['arrow-base', 'src/base/a.ts', 'src/messages/b.ts', "import '../messages/b.js';"],
  ['arrow-observe', 'src/observe/a.ts', 'src/postgres/g.ts', "import '../postgres/g.js';"],
  ['no-cycle', 'src/postgres/d.ts', 'src/postgres/e.ts', "import './e.js';"],
  ['resolvable', 'src/postgres/f.ts', './absent.js', "import './absent.js';"],
];

t.test('refused imports', (t) => {
  const files: Record<string, string> = {};
  for (const [, , to] of refused) if (/^(src|dist)\//.test(to)) files[to] = VALUE;
  for (const [, from, , line] of refused) files[from] = `${line}\n`;
  files['src/postgres/e.ts'] = "import './d.js';\n";
  const { status, output } = check(t, files);
  t.not(status, 0);
  for (const [rule, from, to] of refused) {
    // A cycle is reported once, at whichever of its files comes first.
    const start = rule === 'no-cycle' ? ` ${rule}: src/postgres/` : ` ${rule}: ${from} →`;
    const line = output.split('\n').find((text) => text.includes(start));
    t.ok(
      line !== undefined && (rule === 'no-cycle' || line.includes(to)),
      `${rule}: ${from} → ${to}`,
    );
  }
  t.end();
});

t.test('allowed imports', (t) => {
  const { status, output } = check(t, {
    'src/serve/http/a.ts':
      "import '../pool/b.js';\nimport 'uWebSockets.js';\nimport '../../base/errors.js';\nimport '../../native/b.js';\n",
    'src/serve/pool/b.ts':
      "import 'piscina';\nimport '../../messages/batch.js';\nimport '../../native/b.js';\n",
    'src/worker/a.ts': "import '../native/b.js';\nimport '../base/slot-table.js';\n",
    'src/base/slot-table.ts': VALUE,
    'workers/a.ts': "import '#app/native/b.js';\n",
    'dist/native/b.js': VALUE,
    'src/postgres/a.ts': "import '../native/b.js';\nimport 'pg-native';\n",
    'src/native/b.ts': VALUE,
    'src/base/errors.ts': VALUE,
    'src/messages/batch.ts': VALUE,
    'test/a.test.ts': "import 'tap';\nimport 'pg';\n",
  });
  t.equal(status, 0, output);
  t.end();
});
