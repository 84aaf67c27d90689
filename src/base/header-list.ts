/** Reads the headers of a request in their packed form (WorkerRequest.headers). */

/** fieldValue gives the value of a header, its name in lower case: of several joined by commas, of none empty. */
export function fieldValue(headers: string, name: string): string {
  if (!headers.includes(name)) return '';
  const fields = headers.split('\n');
  let value = '';
  for (let i = 0; i + 1 < fields.length; i += 2)
    if (fields[i] === name) value += value === '' ? fields[i + 1]! : `, ${fields[i + 1]!}`;
  return value;
}
