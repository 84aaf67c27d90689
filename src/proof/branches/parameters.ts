/** The parameters of a script as its proof shows them: which are required, always or under a condition, and their types. */
import type { RecordedParameter } from '../../messages/proofs.js';
import { conditionText, explain } from './explanation.js';
import type { Exploration } from './exploration.js';
import { agree, optionIn, type Option, type Path } from './option.js';
import type { Slices } from '../../base/slices.js';

export interface ProvedParameter extends Omit<RecordedParameter, 'types'> {
  /** OIDs of the types that it is bound with; none when it is only text of the statement, or only looked at. */
  readonly types: readonly number[];
}

/** Most paths that are compared with each other. */
const MOST_PATHS = 300;

/** provedParameters takes the paths that PostgreSQL accepted, with their types, and those of which that is not known. */
export async function provedParameters(
  { shapes, refused, failed, open, extent }: Exploration,
  accepted: readonly Path[],
  unknown: readonly Path[],
  types: ReadonlyMap<string, ReadonlySet<number>>,
  slices: Slices,
): Promise<ProvedParameter[]> {
  const all = shapes.flatMap(({ paths }) => paths);
  const unanswered = [...refused, ...failed].map(({ path }) => path);
  const served = [...accepted, ...unknown];
  const good = new Set(served);
  const rejected = [...unanswered, ...all.filter((path) => !good.has(path))];
  // Without every option of every parameter, nothing is known of the others.
  const isWhole = open.length === 0 && extent !== 'part' && accepted.length > 0;
  const options = optionsByKey([...all, ...unanswered]);
  const proved: ProvedParameter[] = [];
  for (const [name, known] of options) {
    await slices.next();
    const near = proved.length;
    const isNeeded = isWhole && served.every((path) => isSent(path, name, near) === true);
    proved.push({
      name,
      required: isNeeded,
      neededWhen:
        isNeeded || !isWhole ? undefined : neededWhen(name, near, rejected, accepted, unknown),
      types: [...(types.get(name) ?? [])],
      list: known.some(({ raw }) => Array.isArray(raw) && raw.length > 1),
      values: known.flatMap(({ id, raw }) =>
        id.startsWith('=') && typeof raw === 'string' ? [raw] : [],
      ),
    });
  }
  return proved;
}

function optionsByKey(paths: readonly Path[]): ReadonlyMap<string, readonly Option[]> {
  const options = new Map<string, Map<string, Option>>();
  for (const path of paths)
    for (const { key, option } of path) {
      const known = options.get(key);
      if (known === undefined) options.set(key, new Map([[option.id, option]]));
      else known.set(option.id, option);
    }
  return new Map([...options].map(([key, known]) => [key, [...known.values()]]));
}

/** Whether a parameter was sent; undefined when the template did not ask for it. */
function isSent(path: Path, key: string, near: number): boolean | undefined {
  const option = optionIn(path, key, near);
  return option === undefined ? undefined : option.raw !== undefined;
}

/** The condition under which a request without the parameter gets no answer, and one with it does. */
function neededWhen(
  key: string,
  near: number,
  rejected: readonly Path[],
  accepted: readonly Path[],
  unknown: readonly Path[],
): string | undefined {
  if (rejected.length === 0) return undefined;
  const withKey = accepted.filter((path) => isSent(path, key, near) === true).slice(0, MOST_PATHS);
  // One that is rejected with the parameter too has another reason.
  const without = rejected
    .filter((path) => isSent(path, key, near) === false)
    .slice(0, MOST_PATHS)
    .filter((path) => withKey.some((other) => agree(path, other, key)))
    .map((path) => others(path, key));
  if (without.length === 0) return undefined;
  const good = [...accepted, ...unknown]
    .filter((path) => isSent(path, key, near) !== true)
    .map((path) => others(path, key));
  const [conjunction, more] = explain(without, good);
  if (conjunction === undefined || conjunction.length === 0 || more !== undefined) return undefined;
  return conditionText(conjunction);
}

function others(path: Path, key: string): Path {
  return path.filter((choice) => choice.key !== key);
}
