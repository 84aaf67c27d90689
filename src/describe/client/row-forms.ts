/** The forms of a script's rows that its parameters tell apart: a call with such parameters has rows of that form. */
import type { Schema } from '../openapi/schema.js';
import type { CallParameters } from './call-parameters.js';
import { asList, asObject, textOf } from './client-operation.js';
import { literal, memberName } from './source-text.js';

/** readForms gives the schemas of the forms of a row; undefined when it has one, or forms that nothing tells apart. */
export function readForms(row: Schema): readonly Schema[] | undefined {
  const forms = asList(row['anyOf']).map(asObject);
  const isForm = (form: Schema): boolean =>
    form['type'] === 'object' && form['properties'] !== undefined;
  return forms.every(isForm) && forms.some((form) => form['x-when'] !== undefined)
    ? forms
    : undefined;
}

/**
 * conditionMembers writes the members of an argument under which a result has this form; undefined when types cannot say
 * it. `params` is the type of the argument.
 */
export function conditionMembers(
  form: Schema,
  parameters: CallParameters,
  params: string,
): readonly string[] | undefined {
  const conditions = asList(form['x-when']).map(asObject);
  const members = conditions.map(({ name, says }) => {
    const found = parameters.find(textOf(name) ?? '');
    return found && memberOf(found.property, found.parameter.schema, textOf(says) ?? '', params);
  });
  const known = members.filter((member) => member !== undefined);
  return known.length > 0 && known.length === conditions.length ? known : undefined;
}

function memberOf(
  property: string,
  schema: Schema,
  says: string,
  params: string,
): string | undefined {
  const name = memberName(property);
  if (says === 'is not sent') return `${name}?: undefined`;
  if (says === 'is sent') return `${name}: Exclude<${params}[${literal(property)}], undefined>`;
  const value = valueOf(says);
  return value !== undefined && takesText(schema, value) ? `${name}: ${literal(value)}` : undefined;
}

/** The text in `is "text"`. */
function valueOf(says: string): string | undefined {
  const json = /^is (".*")$/s.exec(says)?.[1];
  if (json === undefined) return undefined;
  try {
    return textOf(JSON.parse(json));
  } catch {
    return undefined; // the document may come from anywhere
  }
}

function takesText({ type, enum: values, format }: Schema, value: string): boolean {
  if (Array.isArray(values)) return values.includes(value);
  return type === 'string' && format === undefined;
}
