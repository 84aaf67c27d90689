/**
 * Refusals that are the script's fault: a template refuses a value of a parameter, and there is no single value in its place
 * that it accepts, as where it compares a text with a number, or iterates over a parameter that was sent once.
 */
import { InvalidParameter } from '../../template/template.js';
import type { Exploration, Refusal } from './exploration.js';
import { agree, optionIn, type Option, type Path } from './option.js';

/** Most refusals that are looked at for one parameter at one place. */
const MOST = 64;

/** neverAccepted lists the refusals that are faults. */
export function neverAccepted({ refused, shapes }: Exploration): Refusal[] {
  const accepted = shapes.flatMap(({ paths }) => paths);
  const groups = new Map<string, Refusal[]>();
  for (const refusal of refused) {
    const parameter = parameterOf(refusal);
    const option = parameter === undefined ? undefined : optionIn(refusal.path, parameter);
    if (option === undefined || !isOneValue(option)) continue;
    const place = `${placeOf(refusal)} ${parameter}`;
    const group = groups.get(place);
    if (group === undefined) groups.set(place, [refusal]);
    else if (group.length < MOST) group.push(refusal);
  }
  return [...groups].flatMap(([place, group]) => {
    // What is refused elsewhere has passed this place, or may have.
    const passed = refused.filter((one) => `${placeOf(one)} ${parameterOf(one)}` !== place);
    const others = [...accepted, ...passed.map(({ path }) => path)];
    return group.filter((one) => !others.some((path) => isAlternative(path, one)));
  });
}

function parameterOf({ error }: Refusal): string | undefined {
  return error instanceof InvalidParameter ? error.invalid.parameter : undefined;
}

function placeOf({ error }: Refusal): string {
  return error instanceof InvalidParameter ? `${error.line}:${error.column}` : '';
}

function isOneValue({ raw }: Option): boolean {
  return typeof raw === 'string' ? raw !== '' : raw?.length === 1;
}

/** Whether a path has one value for the parameter too, and whatever else the refused path has. */
function isAlternative(path: Path, refusal: Refusal): boolean {
  const parameter = parameterOf(refusal)!;
  const own = optionIn(path, parameter);
  if (own === undefined || !isOneValue(own)) return false;
  return agree(path, refusal.path, parameter);
}
