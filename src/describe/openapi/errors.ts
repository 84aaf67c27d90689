/** The errors of scripts as components: one schema with all codes, and a response for each status that has a meaning of its own. */
import { ERRORS, statusOfSqlState } from '../../base/errors.js';
import type { Head } from '../../script/head/head.js';
import type { Schema } from './schema.js';
import { reference, sentences } from './schema.js';

const TEXT: Schema = { type: 'string' };

/** ERROR_SCHEMA describes the body of every error. */
export const ERROR_SCHEMA: Schema = {
  type: 'object',
  description: 'An error. Messages are for people and may change; codes do not change.',
  properties: {
    error: { type: 'string' },
    code: {
      description: 'A word, or the SQLSTATE of PostgreSQL.',
      anyOf: [{ enum: Object.keys(ERRORS) }, { type: 'string', pattern: '^[0-9A-Z]{5}$' }],
    },
    parameter: { type: 'string', description: 'The parameter of the request that is the cause.' },
    index: { type: 'integer', minimum: 0, description: 'Which element of it, where it is a list.' },
    reason: { type: 'string', description: 'What failed in PostgreSQL.' },
    ...Object.fromEntries(['constraint', 'column', 'table'].map((name) => [name, TEXT])),
    parameters: {
      type: 'array',
      description: 'All wrong parameters, each with what is expected.',
      items: {
        type: 'object',
        properties: {
          parameter: { type: 'string' },
          expected: { type: 'string' },
          nearest: { type: 'string' },
        },
        required: ['parameter'],
      },
    },
  },
  required: ['error', 'code'],
};

export type ErrorStatus = keyof typeof RESPONSES;

const RESPONSES = {
  400: ['BadRequest', 'A parameter, the body or the path is wrong.'],
  401: ['Unauthorized', 'The token is missing or invalid.'],
  403: ['Forbidden', 'The caller, or the user of the database, lacks a permission.'],
  404: ['NotFound', 'There is no such row, or no such script any more.'],
  409: ['Conflict', 'A constraint is violated, or another transaction is in the way.'],
  413: ['ContentTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The script has no use for a body of this type.'],
  500: ['InternalServerError', 'The script or the service failed.'],
  503: ['ServiceUnavailable', 'The service is busy, or the database is unreachable.'],
  504: ['GatewayTimeout', 'The request took too long.'],
  default: ['OtherError', 'Any other error.'],
} as const;

const CONTENT = { 'application/json': { schema: reference('Error') } };

/** ERROR_RESPONSES are the components that errorReference refers to. */
export const ERROR_RESPONSES: Schema = Object.fromEntries(
  Object.values(RESPONSES).map(([name, description]) => [name, { description, content: CONTENT }]),
);

/** errorReference refers to the response; the texts that a script declares for its errors are in the description. */
export function errorReference(status: ErrorStatus, { errors }: Head): Schema {
  const [name, description] = RESPONSES[status];
  const texts = [...errors].filter(([key]) => statusOfSqlState(key.slice(0, 5)) === status);
  const about = sentences(description, ...texts.map(([key, text]) => `${text} (${key})`));
  const $ref = `#/components/responses/${name}`;
  return texts.length === 0 ? { $ref } : { $ref, description: about };
}
