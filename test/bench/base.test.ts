/**
 * The packages of another revision: shared if its lockfile is the same, and never installed into ours.
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { shareNodeModules } from '../../bench/base.js';

t.test('shared, separate after a change of the lockfile, shared again', (t) => {
  const folder = t.testdir({
    ours: { 'package-lock.json': '1', node_modules: { ours: '' } },
    theirs: { 'package-lock.json': '1' },
  });
  const [ours, theirs] = [path.join(folder, 'ours'), path.join(folder, 'theirs')];
  const link = path.join(theirs, 'node_modules');
  for (const lockfile of ['1', '2', '1']) {
    writeFileSync(path.join(ours, 'package-lock.json'), lockfile);
    shareNodeModules(ours, theirs);
    t.equal(existsSync(path.join(link, 'ours')), lockfile === '1', `lockfile ${lockfile}`);
    t.equal(existsSync(path.join(ours, 'node_modules/ours')), true);
  }
  t.end();
});

t.test('its own installed packages stay', (t) => {
  const folder = t.testdir({
    ours: { 'package-lock.json': '1', node_modules: {} },
    theirs: { 'package-lock.json': '1' },
  });
  const own = path.join(folder, 'theirs/node_modules');
  mkdirSync(own);
  writeFileSync(path.join(own, 'theirs'), 'installed');
  shareNodeModules(path.join(folder, 'ours'), path.join(folder, 'theirs'));
  t.equal(lstatSync(own).isSymbolicLink(), false);
  t.equal(readFileSync(path.join(own, 'theirs'), 'utf8'), 'installed');
  t.end();
});
