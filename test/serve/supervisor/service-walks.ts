/** Walks through the states of a service that together take each action in each state of the model. */
import { nameOf, ServiceModel, type Action } from './service-model.js';

/** Actions after which a walk ends. */
const LONGEST = 20;

/** walksOfAll gives them: each ends with the service. */
export function walksOfAll(): Action[][] {
  const seen = new Set<string>();
  const walks: Action[][] = [];
  for (let walk: Action[] = []; ;) {
    const next = nearest(walk, seen, false) ?? nearest(walk, seen, true);
    if (next !== undefined) walk = next;
    else if (walk.length === 0) return walks;
    const model = after(walk, seen);
    if (model.phase === 'ended' || next === undefined || walk.length >= LONGEST) {
      walks.push(ended(walk));
      after(walks.at(-1)!, seen);
      walk = [];
    }
  }
}

/** after is the model after some actions; what they did is added to `seen`. */
function after(walk: readonly Action[], seen?: Set<string>): ServiceModel {
  const model = new ServiceModel();
  for (const action of walk) {
    seen?.add(cellOf(model, action));
    model.apply(action);
  }
  return model;
}

/** cellOf is a state and an action as a cell of the table: which signal stops the service makes no difference. */
export function cellOf(model: ServiceModel, action: Action): string {
  return `${model.state}: ${nameOf(action, model).replace(/SIGINT|SIGTERM/, 'stop')}`;
}

/** The shortest continuation of a walk with something new, with or without stopping the service. */
function nearest(
  walk: readonly Action[],
  seen: ReadonlySet<string>,
  stopping: boolean,
): Action[] | undefined {
  const states = new Set<string>();
  for (let walks = [[...walk]]; walks.length > 0;) {
    const longer: Action[][] = [];
    for (const one of walks) {
      const model = after(one);
      const state = JSON.stringify([model.state, model.groups]);
      if (states.has(state)) continue;
      states.add(state);
      // In turns, so that both signals stop services.
      const skipped = one.length % 2 === 0 ? 'SIGTERM' : 'SIGINT';
      for (const action of model.actions()) {
        if (action.kind === skipped) continue;
        const isStop = action.kind === 'SIGTERM' || action.kind === 'SIGINT';
        if (isStop && model.phase !== 'stopping' && !stopping) continue;
        if (!seen.has(cellOf(model, action))) return [...one, action];
        longer.push([...one, action]);
      }
    }
    walks = longer;
    if (walks[0] !== undefined && walks[0].length > walk.length + 5) return undefined;
  }
  return undefined;
}

/** A walk with what ends the service. */
function ended(walk: readonly Action[]): Action[] {
  const all = [...walk];
  for (let model = after(all); model.phase !== 'ended'; model = after(all))
    all.push({ kind: 'SIGTERM' });
  return all;
}
