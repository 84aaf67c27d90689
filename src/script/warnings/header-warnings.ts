/**
 * Warnings about scripts that use request headers whose values may begin or end with bytes beyond ASCII: uWebSockets.js
 * treats these as white space and drops them, so that two different values can become equal. Headers whose grammar has
 * ASCII at both ends of a value cause no warning. The template is parsed, not rendered.
 */
import { canonicalName, isHeaderName } from '../../base/headers.js';
import { parametersOf } from '../../template/parameters.js';
import type { Template } from '../../template/template.js';

/** In lower case. Credentials are empty in templates. */
const ASCII =
  /^(?:accept(?:-.+)?|access-control-request-.+|authorization|cache-control|connection|content-(?:encoding|language|length|type)|cookie|date|dnt|expect|forwarded|host|if-.+|max-forwards|origin|pragma|prefer|priority|proxy-authorization|range|referer|sec-.+|te|trace(?:parent|state)|transfer-encoding|upgrade(?:-insecure-requests)?|user-agent|via|x-(?:access|auth)-token|x-api-key|x-(?:correlation|request|trace)-id|x-forwarded-(?:for|host|port|proto)|x-real-ip|x-requested-with)$/;

/** headerWarning names the headers of a template that may arrive incomplete; undefined when it uses none. */
export function headerWarning({ text, name }: Template): string | undefined {
  if (!text.includes('header')) return undefined;
  const headers = parametersOf(text, name).headers.filter(
    (header) => header === ANY || (isHeaderName(header) && !ASCII.test(header.toLowerCase())),
  );
  if (headers.length === 0) return undefined;
  const names = [...new Set(headers.map(canonicalName))].sort();
  const what = names.includes(ANY)
    ? 'any request header'
    : `the request header ${names.join(', ')}`;
  return `the script uses ${what}: uWebSockets.js drops bytes beyond ASCII at the beginning and the end of a value, so have the sender percent-encode it`;
}

/** Stands for a header whose name is computed, in the result of parametersOf. */
const ANY = '*';
