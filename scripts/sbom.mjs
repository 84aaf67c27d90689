/**
 * The bill of materials of the package: what `npm sbom` says of the packages that the service needs at run time, as
 * CycloneDX JSON. `npm pack` writes it into the package as sbom.cdx.json.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** runNpm runs the npm that started this process, otherwise the one on the PATH, in the project. */
export function runNpm(...args) {
  const script = process.env.npm_execpath;
  const [program, first] = script ? [process.execPath, [script]] : ['npm', []];
  return spawnSync(program, [...first, ...args], { cwd: PROJECT, encoding: 'utf8' });
}

/** billOfMaterials throws Error when npm cannot make it. */
export function billOfMaterials() {
  const made = runNpm('sbom', '--omit=dev', '--sbom-format=cyclonedx');
  if (made.status !== 0) throw new Error(`npm sbom failed: ${made.stderr}`);
  const bill = JSON.parse(made.stdout);
  // npm gives the name of the folder.
  const { component } = bill.metadata;
  component.name = JSON.parse(fs.readFileSync(path.join(PROJECT, 'package.json'), 'utf8')).name;
  return bill;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = path.join(PROJECT, 'sbom.cdx.json');
  fs.writeFileSync(file, `${JSON.stringify(billOfMaterials(), undefined, 2)}\n`);
}
