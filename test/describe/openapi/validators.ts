/** Two independent validators of OpenAPI documents: one by the official schema, one by rules of its own. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Test } from 'tap';
import type { Json } from './documented.js';

/** isValidDocument asserts that a document is valid OpenAPI 3.1. */
export async function isValidDocument(t: Test, document: Json): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  t.ok(valid, JSON.stringify(errors));
  const config = await createConfig({ extends: ['spec'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  t.same(
    problems.map(({ message, location }) => `${message} ${JSON.stringify(location[0]?.pointer)}`),
    [],
  );
}
