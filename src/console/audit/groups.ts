import type { AuditEntry } from '../api/records.ts';

/** Consecutive entries that differ only in their time. */
export type AuditGroup = {
  /** The newest entry. */
  entry: AuditEntry;
  /** Number of entries. */
  count: number;
  /** Time of the oldest entry. */
  since: string;
};

const isSame = (one: AuditEntry, other: AuditEntry): boolean =>
  one.action === other.action &&
  one.actor === other.actor &&
  one.subject === other.subject &&
  JSON.stringify(one.detail) === JSON.stringify(other.detail);

/** Groups neighbouring equal entries, newest first. */
export const inGroups = (entries: readonly AuditEntry[]): AuditGroup[] => {
  const groups: AuditGroup[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last !== undefined && isSame(last.entry, entry)) {
      last.count += 1;
      last.since = entry.at;
    } else groups.push({ entry, count: 1, since: entry.at });
  }
  return groups;
};
