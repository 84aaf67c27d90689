/**
 * Conditional requests on records (RFC 9110, section 13): If-Match and If-None-Match. Refuses a header that is not a list
 * of entity tags: a condition that cannot be read does not hold.
 */
import { ServiceError } from '../../base/errors.js';
import { tagOf, type Condition, type StoredRecord } from './records.js';

/** A member of a list: white space, an optional tag, and a comma or the end. */
const MEMBER = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\uffff]*)"[ \t]*)?(?:,|$)/y;

/**
 * readCondition reads the values of both headers, empty when absent; undefined when there is no condition.
 * Throws ServiceError `invalid_request`.
 */
export function readCondition(ifMatch: string, ifNoneMatch: string): Condition | undefined {
  if (ifMatch === '' && ifNoneMatch === '') return undefined;
  // If-Match compares strongly, so a weak tag matches nothing; If-None-Match compares weakly.
  const match = ifMatch === '' ? undefined : readTags('If-Match', ifMatch, false);
  const noneMatch = ifNoneMatch === '' ? undefined : readTags('If-None-Match', ifNoneMatch, true);
  return { match, noneMatch };
}

function readTags(header: string, value: string, weak: boolean): readonly string[] | '*' {
  if (value.trim() === '*') return '*';
  const tags: string[] = [];
  let members = 0;
  MEMBER.lastIndex = 0;
  while (MEMBER.lastIndex < value.length) {
    const [, weakness, tag] = MEMBER.exec(value) ?? malformed(header);
    if (tag === undefined) continue;
    members++;
    if (weak || weakness === undefined) tags.push(tag);
  }
  return members > 0 ? tags : malformed(header);
}

function malformed(header: string): never {
  const message = `${header} must be * or entity tags in quotes, parted by commas`;
  throw new ServiceError('invalid_request', message);
}

export function etagOf(record: StoredRecord): string {
  return `"${tagOf(record)}"`;
}

/** isMet tells whether a list of tags, or `*` for any record, matches a record. */
export function isMet(tags: readonly string[] | '*', record: StoredRecord): boolean {
  return tags === '*' || tags.includes(tagOf(record));
}
