/**
 * Which files of the project a module needs: those it imports, and those it names by a path, as tests name the programs
 * they start and the documents they read. Read from the compiled JavaScript, where type imports are gone.
 */
import fs from 'node:fs';
import path from 'node:path';

/** Folders of sources and where they are compiled to. */
const COMPILED = [
  ['src/', 'dist/'],
  ['workers/', 'dist/workers/'],
  ['test/', 'dist-test/test/'],
  ['bench/', 'dist-test/bench/'],
];

/** Texts in quotes that can be a path. */
const PATHS = /(['"`])([\w.#@/-]*[./][\w./-]*)\1/g;

/** compiledName is what a source is compiled to, from the project; the file itself when it is not compiled. */
export function compiledName(file) {
  const [source, output] = COMPILED.find(([folder]) => file.startsWith(folder)) ?? [];
  return source && file.endsWith('.ts')
    ? output + file.slice(source.length).replace(/ts$/, 'js')
    : file;
}

export class ImportGraph {
  #project;
  #needs = new Map();

  constructor(project) {
    this.#project = project;
  }

  /** reached is every file and folder that a module needs, through others too; `within` is where to follow them. */
  reached(file, within = () => true) {
    return new Set(this.distances(file, within).keys());
  }

  /** distances is how many steps away each file and folder is that a module needs; `within` as for `reached`. */
  distances(file, within = () => true) {
    const found = new Map([[file, 0]]);
    for (const [one, distance] of found)
      if (within(one))
        for (const next of this.#neededBy(one)) if (!found.has(next)) found.set(next, distance + 1);
    return found;
  }

  #neededBy(file) {
    let needed = this.#needs.get(file);
    if (needed === undefined) {
      needed = /\.(js|mjs|cjs)$/.test(file) ? this.#read(file) : [];
      this.#needs.set(file, needed);
    }
    return needed;
  }

  #read(file) {
    const text = fs.readFileSync(path.join(this.#project, file), 'utf8');
    const needed = new Set();
    for (const [, , name] of text.matchAll(PATHS)) {
      for (const candidate of candidates(file, name))
        if (this.#isThere(candidate)) needed.add(candidate);
    }
    needed.delete(file);
    return [...needed];
  }

  /** A folder counts when more than one word names it: `docs/` alone may be anything. */
  #isThere(name) {
    if (name.startsWith('..') || name.includes('node_modules')) return false;
    const stat = fs.statSync(path.join(this.#project, name), { throwIfNoEntry: false });
    return stat !== undefined && (stat.isFile() || name.includes('/'));
  }
}

/** candidates are what a text can name, from the project. */
function candidates(file, name) {
  if (name.startsWith('#app/')) return [name.replace('#app', 'dist')];
  if (name.startsWith('#scripts/')) return [name.slice(1)];
  const near = path.join(path.dirname(file), name);
  return name.startsWith('.') ? [near] : [near, path.normalize(name)];
}
