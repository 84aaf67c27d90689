/** Requests with given values, as a script gets them: values of the query string, the body, headers and claims by their keys. */
import { RequestBody, WHOLE_BODY, type BodyValue } from '#app/script/body/request-body.js';
import { isReservedKey, RequestData } from '#app/script/request/request-data.js';
import type { ScriptText } from '#app/script/script-text.js';
import type { TemplateError } from '#app/template/template.js';

/** Values by key; what has none is not sent. */
export type Values = ReadonlyMap<string, BodyValue>;

/** What a request is answered with, as far as the template decides: a text, or an error at a place. */
export interface Answered {
  readonly text?: string;
  readonly error?: Error;
  /** `line:column` of a template's error. */
  readonly at?: string;
}

export function realRequest(values: Values, { head, body }: ScriptText): RequestData {
  const parameters = new Map<string, string | string[]>();
  const members = new Map<string, string | string[]>();
  const claims: Record<string, unknown> = {};
  const headers: string[] = [];
  for (const [key, value] of values) {
    // A body has members that a query string cannot have: null, and an empty list.
    if (key.startsWith('body.')) members.set(key.slice('body.'.length), value as string);
    else if (key.startsWith('claims.')) claims[key.slice('claims.'.length)] = value;
    else if (key.startsWith('header.'))
      for (const one of [value].flat())
        headers.push(key.slice('header.'.length).toLowerCase(), one!);
    else if (!isReservedKey(key)) parameters.set(key, value as string | string[]);
  }
  const [whole] = [values.get(WHOLE_BODY)].flat();
  return new RequestData(
    parameters,
    headers.join('\n'),
    JSON.stringify(claims),
    () => undefined,
    head.parameters,
    body === 'none' ? undefined : new RequestBody(typeof whole === 'string' ? whole : '', members),
  );
}

export function answered(script: ScriptText, data: RequestData): Answered {
  try {
    return { text: script.template.render(data).text };
  } catch (error) {
    const { line, column } = error as TemplateError;
    return { error: error as Error, at: `${line}:${column}` };
  }
}
