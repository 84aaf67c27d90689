/** Requests in tables of cases: `POST folder/name?query`, and without the method for a GET. */
export function requestLine(text: string): { readonly method: string; readonly target: string } {
  const [, method = 'GET', target = ''] = /^(?:([A-Z]+) )?(.*)$/s.exec(text) ?? [];
  return { method, target };
}
