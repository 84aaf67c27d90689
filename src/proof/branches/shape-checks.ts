/** Asks PostgreSQL about the texts of a script, several at a time, so that a database that is far away is not waited for each time. */
import type { Shape } from './exploration.js';
import { OutOfTime } from './interruption.js';
import { checkShape, type Checking, type ShapeResult } from './shape-check.js';
import type { Slots } from './slots.js';

export interface Checked {
  readonly shape: Shape;
  readonly result: ShapeResult;
}

export interface CheckedShapes {
  /** In the order of the texts, without those that are refused as they are. */
  readonly checked: readonly Checked[];
  /** Those for which there was no time. */
  readonly left: readonly Shape[];
}

/** checkShapes checks `parallel` texts at a time. Rejects with StatementFailure when the database cannot be asked. */
export async function checkShapes(
  shapes: readonly Shape[],
  slots: Slots,
  checking: Checking,
  parallel: number,
  isOver: () => boolean,
): Promise<CheckedShapes> {
  const asked = shapes.filter((shape) => !refusesAbsent(shape));
  const entries = asked.entries();
  const results: (Checked | undefined)[] = [];
  let isCut = false;
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    for (const [i, shape] of entries) {
      // What is left is left for other lanes, which end here too.
      if (isCut || hasFailed || (isCut = isOver())) return;
      try {
        const result = await checkShape(shape.rendered, slots, checking, shape.bound);
        results[i] = { shape, result };
      } catch (error) {
        isCut = error instanceof OutOfTime;
        hasFailed = !isCut;
        if (hasFailed) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  const checked = results.filter((one) => one !== undefined && !one.result.isRefused);
  const left = asked.filter((_shape, i) => results[i] === undefined);
  return { checked: checked as Checked[], left };
}

/** Whether the text of an absent parameter is SQL in it: a request is answered 400 then. */
function refusesAbsent({ rendered }: Shape): boolean {
  return rendered.interpolated().absent;
}
