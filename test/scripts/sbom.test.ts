/** The bill of materials has every package that is installed with the service, and none of development alone. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import t from 'tap';
import { billOfMaterials } from '#scripts/sbom.mjs';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

interface Locked {
  readonly packages: Readonly<Record<string, { version: string; dev?: true }>>;
}

const lock = JSON.parse(fs.readFileSync(path.join(PROJECT, 'package-lock.json'), 'utf8')) as Locked;
const locked = Object.entries(lock.packages).filter(([folder]) => folder !== '');
const nameOf = (folder: string, version: string): string =>
  `${folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`;
const bill = billOfMaterials();
const components = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));

t.test('packages of the service', (t) => {
  const missing = locked
    .filter(([, { dev }]) => !dev)
    .map(([folder, { version }]) => nameOf(folder, version))
    .filter((name) => !components.has(name));
  t.same(missing, []);
  const { dependencies } = JSON.parse(
    fs.readFileSync(path.join(PROJECT, 'package.json'), 'utf8'),
  ) as { dependencies: Readonly<Record<string, string>> };
  const named = new Set(bill.components.map(({ name }) => name));
  for (const name of Object.keys(dependencies)) {
    // An alias is listed under the name of the package.
    const real = /^npm:(.+)@/.exec(dependencies[name]!)?.[1] ?? name;
    t.ok(named.has(name) || named.has(real), name);
  }
  t.end();
});

t.test('packages of development', (t) => {
  const runtime = new Set(
    locked.filter(([, { dev }]) => !dev).map(([folder, { version }]) => nameOf(folder, version)),
  );
  t.same(
    [...components].filter((name) => !runtime.has(name) && !name.startsWith('uwebsockets@')),
    [],
  );
  t.equal(bill.metadata.component.name, 'sql-rest-service');
  t.end();
});
