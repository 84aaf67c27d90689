/** A program that reads scripts while it has all descriptors that it may have: `node … FOLDER`. */
import { closeSync, openSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '#app/base/errors.js';
import { createLogger } from '#app/observe/log.js';
import { ScriptStore } from '#app/script/files/script-store.js';

const store = new ScriptStore(
  process.argv[2]!,
  createLogger({ level: 'silent', pretty: false }, {}),
);

async function show(name: string): Promise<void> {
  let text: string;
  try {
    const script = await store.find('main', 'f', name, performance.now());
    text = script.select('GET').template.text;
  } catch (error) {
    const { code, status, message } = error as ServiceError;
    text = [code, status, message].join(' ');
  }
  console.log(name, text);
}

await sleep(500); // the files are no longer new
await show('known');
const open: number[] = [];
try {
  for (;;) open.push(openSync('/dev/null', 'r'));
} catch {
  // There are no more.
}
await show('new');
await show('known');
for (const one of open) closeSync(one);
await sleep(1_000); // a script is looked at a few times a second
await show('new');
