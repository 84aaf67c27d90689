/** The parts of JSON Schema that the service's document has: references, labels of types, examples. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Levels of references and of nested values that are followed. */
const DEPTH = 8;

/** Schemas resolves references into one document. */
export class Schemas {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** resolve follows a reference; one that leads nowhere is the empty schema. */
  resolve<T extends object>(value: T | { readonly $ref?: string }): T {
    let found: unknown = value;
    for (let i = 0; i < DEPTH; i++) {
      const { $ref } = (found ?? {}) as { $ref?: unknown };
      if (typeof $ref !== 'string') break;
      found = $ref.startsWith('#/') ? this.#at($ref.slice(2)) : {};
    }
    return (typeof found === 'object' && found !== null ? found : {}) as T;
  }

  /** plain gives the schema of the values that are not null, and whether null is allowed. */
  plain(schema: Schema | boolean | undefined): {
    readonly schema: Schema;
    readonly nullable: boolean;
  } {
    const one = typeof schema === 'object' ? this.resolve<Schema>(schema) : {};
    const forms = one.anyOf ?? one.oneOf;
    const others = forms?.filter((form) => this.resolve<Schema>(form).type !== 'null');
    if (forms !== undefined && others?.length === 1) {
      const inner = this.plain(others[0]);
      const about = one.description === undefined ? {} : { description: one.description };
      return {
        schema: { ...inner.schema, ...about },
        nullable: inner.nullable || forms.length > 1,
      };
    }
    const nullable = Array.isArray(one.type) && one.type.includes('null');
    return { schema: one, nullable };
  }

  /** typeOf is the first type of the values that are not null: `integer`, `object`; undefined for any. */
  typeOf(schema: Schema): string | undefined {
    const { type } = schema;
    if (type === undefined) return schema.properties === undefined ? undefined : 'object';
    if (typeof type === 'string') return type;
    return type.find((one) => one !== 'null');
  }

  /** label names a type for people: `integer`, `text (date)`, `integer[]`. */
  label(given: Schema | boolean | undefined, depth = 0): string {
    const { schema } = this.plain(given);
    if (schema.enum !== undefined) return 'choice';
    const type = this.typeOf(schema);
    if (type === 'array' && depth < DEPTH) {
      const item = this.label(schema.items, depth + 1);
      return item === 'choice' ? 'choices' : `${item}[]`;
    }
    const forms = schema.anyOf ?? schema.oneOf;
    if (forms !== undefined && depth < DEPTH)
      return [...new Set(forms.map((one) => this.label(one, depth + 1)))].join(' or ');
    const types = typeof schema.type === 'object' ? schema.type : [type ?? 'any'];
    const names = types.map((one) => (one === 'string' ? 'text' : one));
    const name = names.filter((one) => one !== 'null').join(' or ');
    return schema.format === undefined ? name : `${name} (${schema.format})`;
  }

  /** example makes a value that fits a schema. */
  example(given: Schema | boolean | undefined, depth = 0): unknown {
    const { schema } = this.plain(given);
    const shown = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.default;
    if (shown !== undefined) return shown;
    if (schema.enum !== undefined) return schema.enum.find((one) => one !== null) ?? null;
    if (depth > DEPTH) return null;
    const form = (schema.anyOf ?? schema.oneOf)?.[0];
    if (form !== undefined) return this.example(form, depth + 1);
    switch (this.typeOf(schema)) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, property]) => [
            name,
            this.example(property, depth + 1),
          ]),
        );
      case 'array':
        return [this.example(schema.items, depth + 1)];
      case 'integer':
        return schema.minimum ?? schema.maximum ?? 1;
      case 'number':
        return schema.minimum ?? schema.maximum ?? 1.5;
      case 'boolean':
        return true;
      case 'string':
        return TEXTS[schema.format ?? ''] ?? 'text';
      default:
        return {};
    }
  }

  typeText(given: Schema | boolean | undefined, depth = 0): string {
    const { schema, nullable } = this.plain(given);
    const text = depth > DEPTH ? 'unknown' : this.#typeText(schema, depth);
    return nullable && text !== 'unknown' ? `${text} | null` : text;
  }

  #typeText(schema: Schema, depth: number): string {
    if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
    const forms = schema.anyOf ?? schema.oneOf;
    if (forms !== undefined)
      return [...new Set(forms.map((one) => this.typeText(one, depth + 1)))].join(' | ');
    if (typeof schema.type === 'object' && schema.type.length > 1) {
      const types = schema.type.filter((one) => one !== 'null');
      return types.map((type) => this.#typeText({ ...schema, type }, depth)).join(' | ');
    }
    switch (this.typeOf(schema)) {
      case 'object': {
        const members = Object.entries(schema.properties ?? {});
        if (members.length === 0) return 'Record<string, unknown>';
        const required = new Set(schema.required);
        const parts = members.map(([name, property]) => {
          const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
          return `${key}${required.has(name) ? '' : '?'}: ${this.typeText(property, depth + 1)}`;
        });
        return `{ ${parts.join('; ')} }`;
      }
      case 'array': {
        const item = this.typeText(schema.items, depth + 1);
        return /^[\w]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
      }
      case 'integer':
      case 'number':
        return 'number';
      case 'string':
      case 'boolean':
        return this.typeOf(schema)!;
      default:
        return 'unknown';
    }
  }

  #at(pointer: string): unknown {
    let found: unknown = this.#root;
    for (const part of pointer.split('/')) {
      if (typeof found !== 'object' || found === null) return undefined;
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      found = Object.hasOwn(found, name) ? (found as Record<string, unknown>)[name] : undefined;
    }
    return found;
  }
}

const TEXTS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '12:30:00',
  'date-time': '2026-01-31T12:30:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
};
