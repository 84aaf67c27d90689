/** Responses with records and their versions: compact JSON with members in a fixed order, without empty ones. */
import type { RegistryResponse } from '../../messages/tasks.js';
import { etagOf } from './entity-tag.js';
import type { ValidationMembers } from './proof-response.js';
import type { RecordContent, RecordVersion, StoredRecord } from './records.js';
import { REGISTRY } from '../scripts/scripts-table.js';

/** recordResponse has `validated`, what is known of its texts, when they were validated. */
export function recordResponse(
  status: 200 | 201,
  record: StoredRecord,
  validated?: ValidationMembers,
): RegistryResponse {
  const headers: [string, string][] = [['ETag', etagOf(record)]];
  if (status === 201) {
    const { database, location, name } = record;
    const segments = [...(database === '' ? [] : [database]), location, name];
    const path = segments.map(encodeURIComponent).join('/');
    headers.push(['Location', `/_QUERIES/${REGISTRY}/${path}`]);
  }
  return { status, body: recordJson(record, validated), headers };
}

export function recordJson(record: StoredRecord, validated?: ValidationMembers): string {
  const { id, database, location, name, created_by, created_at, updated_at } = record;
  return JSON.stringify({
    id,
    database,
    location,
    name,
    ...contentOf(record),
    created_by: nonEmpty(created_by),
    created_at: nonEmpty(created_at),
    updated_at: nonEmpty(updated_at),
    ...validated,
  });
}

export function versionJson(version: RecordVersion): string {
  const { operation, changed_by, changed_at, created_by } = version;
  return JSON.stringify({
    version: version.version,
    operation,
    changed_by: nonEmpty(changed_by),
    changed_at: nonEmpty(changed_at),
    ...contentOf(version),
    created_by: nonEmpty(created_by),
  });
}

function contentOf(content: RecordContent): Record<string, string | undefined> {
  const { read_sql, write_sql, update_sql, delete_sql, description } = content;
  return {
    read_sql: nonEmpty(read_sql),
    write_sql: nonEmpty(write_sql),
    update_sql: nonEmpty(update_sql),
    delete_sql: nonEmpty(delete_sql),
    description: nonEmpty(description),
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
