/** The verbs of scripts, which have a text for each, with their HTTP methods and file suffixes. */

export type Verb = 'read' | 'write' | 'update' | 'delete';

export const VERBS: readonly Verb[] = ['read', 'write', 'update', 'delete'];

/** verbOf gives the verb of a method (upper case); undefined when it has none. */
export function verbOf(method: string): Verb | undefined {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return 'read';
    case 'POST':
      return 'write';
    case 'PUT':
    case 'PATCH':
      return 'update';
    case 'DELETE':
      return 'delete';
    default:
      return undefined;
  }
}

const METHODS: Readonly<Record<Verb, string>> = {
  read: 'GET, HEAD',
  write: 'POST',
  update: 'PUT, PATCH',
  delete: 'DELETE',
};

/** methodsOf gives the methods of a verb, in upper case. */
export function methodsOf(verb: Verb): readonly string[] {
  return METHODS[verb].split(', ');
}

/** allowHeader gives an Allow header with the methods of some verbs, and OPTIONS. */
export function allowHeader(has: (verb: Verb) => boolean): string {
  let methods = '';
  for (const verb of VERBS) if (has(verb)) methods += `${METHODS[verb]}, `;
  return `${methods}OPTIONS`;
}

export function fileName(name: string, verb: Verb): string {
  return `${name}.${verb}.sql`;
}

/** scriptOfFile gives the script name and verb of a file name; undefined when it has none of the four suffixes. */
export function scriptOfFile(file: string): { name: string; verb: Verb } | undefined {
  for (const verb of VERBS) {
    const suffix = `.${verb}.sql`;
    if (file.length > suffix.length && file.endsWith(suffix)) {
      return { name: file.slice(0, -suffix.length), verb };
    }
  }
  return undefined;
}
