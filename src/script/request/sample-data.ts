/** The data of a request that is not sent: samples for checking what a script renders. */
import { BODY_PREFIX, RequestBody, WHOLE_BODY } from '../body/request-body.js';
import type { QueryParameters } from './query-string.js';
import { RequestData } from './request-data.js';
import type { ScriptText } from '../script-text.js';

/** sampleData takes values of the query string and, with their prefix, of the body. */
export function sampleData(samples: QueryParameters, { head, body }: ScriptText): RequestData {
  const found = body === 'none' ? undefined : sampleBody(samples);
  return new RequestData(samples, '', '', () => undefined, head.parameters, found);
}

function sampleBody(samples: QueryParameters): RequestBody {
  const whole = samples.get(WHOLE_BODY);
  const members: QueryParameters = new Map();
  for (const [name, value] of samples)
    if (name.startsWith(BODY_PREFIX)) members.set(name.slice(BODY_PREFIX.length), value);
  return new RequestBody(typeof whole === 'string' ? whole : '', members);
}
