/** What the handlers of requests use of their HTTP process. */
import type { HttpSettings } from '../../../messages/http-settings.js';
import type { Logger } from '../../../observe/log.js';
import type { DatabaseHealth } from '../../pool/database-health.js';
import type { QueryPool } from '../../pool/query-pool.js';
import type { Supervised } from '../http-server.js';
import type { BodyBudget } from '../transport/body-budget.js';
import type { Gate } from '../transport/gate.js';
import type { RequestTable } from '../transport/request-table.js';

export interface HandlerParts {
  readonly settings: HttpSettings;
  readonly requests: RequestTable;
  readonly pool: QueryPool;
  readonly gate: Gate;
  readonly budget: BodyBudget;
  readonly health: DatabaseHealth;
  readonly supervised: Supervised;
  readonly log: Logger;
}
