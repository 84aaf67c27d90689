/** Records and their versions as answers have them: compact, members in a fixed order, those without a value left out. */
import type { RecordContent, RecordVersion, StoredRecord } from './records.js';

/** recordJson writes a record. */
export function recordJson(record: StoredRecord): string {
  const { id, database, location, name, created_by, created_at, updated_at } = record;
  return JSON.stringify({
    id,
    database,
    location,
    name,
    ...contentOf(record),
    created_by: given(created_by),
    created_at: given(created_at),
    updated_at: given(updated_at),
  });
}

/** versionJson writes a version of a record. */
export function versionJson(version: RecordVersion): string {
  const { operation, changed_by, changed_at, created_by } = version;
  return JSON.stringify({
    version: version.version,
    operation,
    changed_by: given(changed_by),
    changed_at: given(changed_at),
    ...contentOf(version),
    created_by: given(created_by),
  });
}

function contentOf(content: RecordContent): Record<string, string | undefined> {
  const { read_sql, write_sql, update_sql, delete_sql, description } = content;
  return {
    read_sql: given(read_sql),
    write_sql: given(write_sql),
    update_sql: given(update_sql),
    delete_sql: given(delete_sql),
    description: given(description),
  };
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
