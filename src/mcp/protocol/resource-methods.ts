/** The methods of resources in both eras: lists, the template of their URIs, and their texts. */
import type { McpCall } from '../arguments/call.js';
import { DISCOVERY_CACHING, LIST_CACHING } from './discovery.js';
import type { Era } from './era.js';
import { withNames } from '../tools/generic-tools.js';
import { cursorOf, invalidCursor } from '../arguments/list-cursor.js';
import { JSON_TYPE, URI_TEMPLATE } from '../tables/resource-uri.js';
import type { NameForm } from '../arguments/tool-names.js';
import { INVALID_PARAMS, RpcError, type Arguments, type Resources } from '../arguments/tool.js';

/** The code for an unknown resource; the modern era has INVALID_PARAMS for it. */
const RESOURCE_NOT_FOUND = -32002;

/** RESOURCE_METHODS are the methods that resourceMembers handles. */
export const RESOURCE_METHODS = ['resources/list', 'resources/templates/list', 'resources/read'];

/** resourceMembers returns the members of a result as JSON. Rejects with RpcError. */
export async function resourceMembers(
  resources: Resources,
  method: string,
  params: Arguments,
  call: McpCall,
  era: Era,
): Promise<string> {
  const isModern = era === 'modern';
  const listCaching = isModern ? `,${LIST_CACHING}` : '';
  switch (method) {
    case 'resources/list': {
      const page = await resources.page(call, cursorOf(params));
      const list = page.resources.map(({ json }) => json).join(',');
      const next = page.next === undefined ? '' : `,"nextCursor":${JSON.stringify(page.next)}`;
      return `"resources":[${list}]${next}${listCaching}`;
    }
    case 'resources/read': {
      const uri = requiredUri(params);
      const text = await resources.read(call, uri);
      if (text === undefined) throw notFound(uri, era);
      return `"contents":${JSON.stringify([{ uri, mimeType: JSON_TYPE, text }])}${listCaching}`;
    }
    default: {
      if (cursorOf(params) !== undefined) throw invalidCursor();
      return `"resourceTemplates":${templatesJson(call.form)}${isModern ? `,${DISCOVERY_CACHING}` : ''}`;
    }
  }
}

function requiredUri({ uri }: Arguments): string {
  if (typeof uri === 'string' && uri !== '') return uri;
  throw new RpcError(INVALID_PARAMS, 'the URI of a resource is required: a string in params.uri');
}

/** The same error for absent and for forbidden tables. */
function notFound(uri: string, era: Era): RpcError {
  const message = `there is no such resource that you may read: resources are ${URI_TEMPLATE}`;
  const code = era === 'modern' ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
  return new RpcError(code, message, 200, { uri });
}

function templatesJson(form: NameForm): string {
  const description = withNames(
    form,
    'A table or view: columns with types, allowed values and comments, keys, indexes, checks. The same as describe_table.',
  );
  const template = { uriTemplate: URI_TEMPLATE, name: 'table', title: 'Description of a table' };
  return JSON.stringify([{ ...template, description, mimeType: JSON_TYPE }]);
}
