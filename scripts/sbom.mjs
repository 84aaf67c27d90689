/**
 * The bill of materials of the package: what `npm sbom` says of the packages that the service needs at run time, as
 * CycloneDX JSON. `npm pack` writes it into the package as sbom.cdx.json.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** runNpm runs the npm that started this process, otherwise the one on the PATH, in a folder. */
export function runNpm(folder, ...args) {
  const script = process.env.npm_execpath;
  const [program, first] = script ? [process.execPath, [script]] : ['npm', []];
  return spawnSync(program, [...first, ...args], { cwd: folder, encoding: 'utf8' });
}

/**
 * withoutDevelopment gives package.json and the lockfile without what only development needs. `npm sbom --omit=dev` does not:
 * it also leaves out packages of the service that packages of development use too.
 */
function withoutDevelopment() {
  const read = (file) => JSON.parse(fs.readFileSync(path.join(PROJECT, file), 'utf8'));
  const manifest = read('package.json');
  const lock = read('package-lock.json');
  delete manifest.devDependencies;
  delete lock.packages[''].devDependencies;
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).filter(([, { dev }]) => dev !== true),
  );
  return { 'package.json': manifest, 'package-lock.json': lock };
}

/** billOfMaterials throws Error when npm cannot make it. */
export function billOfMaterials() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbom-'));
  try {
    const files = withoutDevelopment();
    for (const [name, content] of Object.entries(files))
      fs.writeFileSync(path.join(folder, name), JSON.stringify(content));
    const made = runNpm(folder, 'sbom', '--package-lock-only', '--sbom-format=cyclonedx');
    if (made.status !== 0) throw new Error(`npm sbom failed: ${made.stderr}`);
    const bill = JSON.parse(made.stdout);
    // npm gives the name of the folder.
    bill.metadata.component.name = files['package.json'].name;
    return bill;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = path.join(PROJECT, 'sbom.cdx.json');
  fs.writeFileSync(file, `${JSON.stringify(billOfMaterials(), undefined, 2)}\n`);
}
