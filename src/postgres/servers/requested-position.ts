/**
 * The position in the WAL that a request brings: what its server must have replayed. `Service-LSN` is a list of positions;
 * positions of other databases are passed over: `1:0/3000148, reports=1:0/4000060`.
 */
import { ServiceError } from '../../base/errors.js';
import { fieldValue } from '../../base/headers.js';
import { isNameOf, POSITION_NAME } from '../../base/lsn-name.js';
import { laterPosition, parsePosition, type WalPosition } from '../statement/wal-position.js';

const ENTRY = new RegExp(`^[ \\t]*(?:(${POSITION_NAME})=)?([0-9A-Fa-f:/]+)[ \\t]*$`);

/**
 * requestedPosition reads `Service-LSN` in packed headers; undefined without a position of the alias. Of several it is the
 * later one. Throws ServiceError: `invalid_request`, also because of an entry for another database.
 */
export function requestedPosition(
  headers: string,
  alias: string,
  defaultAlias: string,
): WalPosition | undefined {
  const text = fieldValue(headers, 'service-lsn');
  if (text === '') return undefined;
  let position: WalPosition | undefined;
  for (const entry of text.split(',')) {
    const [, name = '', value = ''] = ENTRY.exec(entry) ?? [];
    const found = parsePosition(value);
    if (found === undefined)
      throw new ServiceError(
        'invalid_request',
        'invalid Service-LSN: it takes values that responses had, such as 1:0/3000148, or several with commas between them',
      );
    if (isNameOf(name, alias, defaultAlias))
      position = position === undefined ? found : laterPosition(position, found);
  }
  return position;
}
