/**
 * The package `tap` as compiled test files find it: its default export is the test of the file that runs now. Node resolves
 * it by its folder; hooks for modules would need a thread and a question to it for each import.
 */
import fs from 'node:fs';
import path from 'node:path';

/** Its module, from the project. */
export const CURRENT_TEST = 'dist-test/node_modules/tap/index.js';

/** Bindings of a module are live: what imports the default export sees the test that was set last. */
const textWith = (tap) => `import tap from '${tap}';
let test = tap;
export function setTest(t) {
  test = t;
}
export { test as default };
`;

/** placeCurrentTest writes it beside the test files of a project. */
export function placeCurrentTest(project) {
  const folder = path.join(project, path.dirname(CURRENT_TEST));
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "main": "index.js" }');
  // Resolved here: this module is loaded before the set-up has installed packages.
  fs.writeFileSync(path.join(project, CURRENT_TEST), textWith(import.meta.resolve('tap')));
}
