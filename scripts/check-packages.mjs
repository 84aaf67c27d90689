/**
 * `npm run check:packages`: all packages have licences that permit their use, those that the service needs at run time have no
 * known vulnerability of high severity, and the binary of uWebSockets.js is the one that was published. Exit status 1 when
 * one of this is not so, or advisories could not be read. A registry that has none, such as a mirror, is only reported.
 */
import fs from 'node:fs';
import path from 'node:path';
import { billOfMaterials, runNpm } from './sbom.mjs';
import { fileURLToPath } from 'node:url';
import { uwsProblem } from './uws-binaries.mjs';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** Licences that ask for no more than their text, by SPDX id. */
const PERMITTED = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
]);

/** The answer of a registry that does not know the question: 403, 404, 405 or 501. */
const HAS_NO_ADVISORIES = /^(?:40[345]|501) /;

const problems = [];

/** Licences of packages that are only used in development, and not passed on. */
const PERMITTED_IN_DEVELOPMENT = new Set([
  ...PERMITTED,
  'CC-BY-3.0',
  'CC0-1.0',
  'MPL-2.0',
  'PSF-2.0',
  'Unlicense',
  'WTFPL',
  'Zlib',
]);

/** Packages whose package.json names no licence, with the one of their file `license`. */
const UNNAMED = new Map([['node_modules/jsonc-simple-parser 3.0.0', 'MIT']]);

/** Whether one of the alternatives of `A OR B` is permitted; AND needs all of them. */
function isPermitted(expression, permitted) {
  return expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((all) => all.split(' AND ').every((id) => permitted.has(id.trim())));
}

function checkLicences() {
  const { components } = billOfMaterials();
  for (const { name, version, licenses = [] } of components) {
    const expressions = licenses.map((one) => one.expression ?? one.license.id ?? 'unknown');
    if (expressions.length === 0 || !expressions.every((one) => isPermitted(one, PERMITTED)))
      problems.push(`${name} ${version} has the licence ${expressions.join(', ') || 'unknown'}`);
  }
  const all = developmentLicences();
  console.log(`licences: ${components.length} packages at run time, ${all} in development`);
}

/** Checks the licences of all packages of the lockfile; returns how many they are. */
function developmentLicences() {
  const { packages } = JSON.parse(fs.readFileSync(path.join(PROJECT, 'package-lock.json'), 'utf8'));
  const installed = Object.entries(packages).filter(([folder]) => folder !== '');
  for (const [folder, { version, license }] of installed) {
    const licence = license ?? UNNAMED.get(`${folder} ${version}`) ?? 'unknown';
    if (!isPermitted(licence, PERMITTED_IN_DEVELOPMENT))
      problems.push(`${folder} ${version} has the licence ${licence}`);
  }
  return installed.length;
}

function checkAdvisories() {
  const run = runNpm(PROJECT, 'audit', '--omit=dev', '--audit-level=high', '--json');
  const report = JSON.parse(run.stdout || '{}');
  if (report.metadata === undefined) {
    const [reason] = (report.message ?? report.error?.summary ?? 'npm audit gave no report').split(
      '\n',
    );
    console.log(`advisories: not checked (${reason})`);
    if (!HAS_NO_ADVISORIES.test(reason)) problems.push('the advisories could not be read');
    return;
  }
  const { high = 0, critical = 0 } = report.metadata.vulnerabilities;
  console.log(`advisories: ${high} high, ${critical} critical`);
  if (run.status !== 0)
    problems.push(`npm audit knows of ${high + critical} vulnerabilities of high severity`);
}

function checkUws() {
  const problem = uwsProblem(PROJECT, (other) => problems.push(`uWebSockets.js is ${other}`));
  if (problem !== undefined) problems.push(problem);
  console.log('uWebSockets.js: compared with its known hash');
}

checkLicences();
checkAdvisories();
checkUws();
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
