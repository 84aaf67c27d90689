/** The warnings of `check` about replicas that do not answer: without them the primary runs everything. */
import { replicasOf } from '../config/databases.js';
import type { Config } from '../config/schema.js';
import { checkDatabase } from '../../postgres/lanes/database-check.js';
import { placeOf } from './database-against.js';
import { printable } from '../line/printable.js';

/** replicaWarnings resolves to a warning for each replica that does not answer, or is too old. */
export async function replicaWarnings(config: Config): Promise<readonly string[]> {
  const warnings = await Promise.all(
    replicasOf(config, 0).map(async (replica) => {
      const checked = await checkDatabase(replica);
      return checked.ok
        ? []
        : `database ${replica.of}: the replica ${placeOf(replica)}: ${printable(checked.message)}`;
    }),
  );
  return warnings.flat();
}
