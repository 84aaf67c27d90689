/** The changes from one contract to another, those that break callers first. */
import { Changes, type Change } from './change.js';
import type { Contract, PathContract, ScriptContract } from './contract.js';
import { compareParameters } from './parameter-changes.js';
import { compareResponses } from './response-changes.js';

/** diffContracts sorts by whether a change breaks callers, then by script. */
export function diffContracts(old: Contract, now: Contract): Change[] {
  const [before, after] = [byKey(old), byKey(now)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changes = keys.flatMap((key) => scriptChanges(before.get(key), after.get(key)));
  return [...changes.filter(({ breaking }) => breaking), ...changes.filter((one) => !one.breaking)];
}

function byKey({ scripts }: Contract): Map<string, ScriptContract> {
  return new Map(scripts.map((script) => [`${script.script} ${script.verb}`, script]));
}

function scriptChanges(
  old: ScriptContract | undefined,
  now: ScriptContract | undefined,
): readonly Change[] {
  const changes = new Changes((now ?? old)!);
  if (now === undefined) changes.breaking('script removed', '', 'the script is gone');
  else if (old === undefined) changes.compatible('script added', '', 'new script');
  else {
    comparePaths(old.paths, now.paths, changes);
    compareParameters(old, now, changes);
    compareResponses(old, now, changes);
    compareNotes(old, now, changes);
  }
  return changes.list;
}

function compareNotes(old: ScriptContract, now: ScriptContract, changes: Changes): void {
  if (now.deprecated !== old.deprecated) {
    const since = typeof now.deprecated === 'string' ? ` as of ${now.deprecated}` : '';
    const text = now.deprecated === false ? 'not deprecated any more' : `deprecated${since}`;
    changes.compatible('deprecated', '', `the script is ${text}`);
  }
  if (now.verdict !== old.verdict)
    changes.compatible('verdict', '', `the script is ${now.verdict}, and was ${old.verdict}`);
}

function comparePaths(
  old: readonly PathContract[],
  now: readonly PathContract[],
  changes: Changes,
): void {
  for (const { path, methods } of old) {
    const same = now.find((one) => shapeOf(one.path) === shapeOf(path));
    if (same === undefined) {
      changes.breaking('path removed', path, `the path ${path} is gone`);
      continue;
    }
    const gone = methods.filter((method) => !same.methods.includes(method));
    if (gone.length > 0)
      changes.breaking('method removed', path, `${gone.join(' and ')} ${path} is gone`);
    const added = same.methods.filter((method) => !methods.includes(method));
    if (added.length > 0)
      changes.compatible('method added', path, `${added.join(' and ')} ${path} is new`);
  }
  for (const { path } of now)
    if (!old.some((one) => shapeOf(one.path) === shapeOf(path)))
      changes.compatible('path added', path, `the path ${path} is new`);
}

/** A path matches the same requests whatever its parameters are called. */
function shapeOf(path: string): string {
  return path.replaceAll(/\{[^/]*\}/g, '{}');
}
