/**
 * The four kinds of script text, the methods that run them, and the file suffixes that tell them apart.
 */

/** What a script does: one text for each. */
export type Verb = 'read' | 'write' | 'update' | 'delete';

export const VERBS: readonly Verb[] = ['read', 'write', 'update', 'delete'];

/** verbOf is the verb that a method (upper case) runs, or undefined for one that runs none. */
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

/** allowHeader lists the methods of some verbs, and OPTIONS, in the form of an Allow header. */
export function allowHeader(has: (verb: Verb) => boolean): string {
  let methods = '';
  for (const verb of VERBS) if (has(verb)) methods += `${METHODS[verb]}, `;
  return `${methods}OPTIONS`;
}

/** fileName is the name of the file that holds a script's text for a verb. */
export function fileName(name: string, verb: Verb): string {
  return `${name}.${verb}.sql`;
}

/** scriptOfFile is the script name and verb of a file name, or undefined when it has none of the four suffixes. */
export function scriptOfFile(file: string): { name: string; verb: Verb } | undefined {
  for (const verb of VERBS) {
    const suffix = `.${verb}.sql`;
    if (file.length > suffix.length && file.endsWith(suffix)) {
      return { name: file.slice(0, -suffix.length), verb };
    }
  }
  return undefined;
}

/**
 * isIdentifier tells whether a folder or script name can be asked for: 1-63 bytes of Unicode letters, digits, `_`
 * and `-`.
 */
export function isIdentifier(name: string): boolean {
  return IDENTIFIER.test(name) && Buffer.byteLength(name) <= 63;
}

const IDENTIFIER = /^[\p{L}\p{Nd}_-]+$/u;
