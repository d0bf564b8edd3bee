/** Initial rows for tests of persistence. */
import { randomBytes, randomUUID } from 'node:crypto';
import { insertCall, type NewCallRow } from '#src/persistence/calls/calls.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { createNumber } from '#src/persistence/numbers/numbers.ts';
import { createWorkspace } from '#src/persistence/workspaces/workspaces.ts';

export type StoredNumber = { workspaceId: string; numberId: string; number: string };

const digits = (count: number): string =>
  Array.from(randomBytes(count), (byte) => String(byte % 10)).join('');

/** Inserts a new workspace with one number. */
export const storedNumber = async (db: Database): Promise<StoredNumber> => {
  const stored = { workspaceId: randomUUID(), numberId: randomUUID(), number: `070${digits(8)}` };
  const createdAt = new Date();
  await createWorkspace(db, { id: stored.workspaceId, name: 'Test', createdAt });
  await createNumber(db, {
    id: stored.numberId,
    workspaceId: stored.workspaceId,
    number: stored.number,
    language: 'ko',
    createdAt,
  });
  return stored;
};

export const newCallRow = (owner: StoredNumber, changes: Partial<NewCallRow> = {}): NewCallRow => ({
  id: randomUUID(),
  workspaceId: owner.workspaceId,
  numberId: owner.numberId,
  direction: 'outbound',
  ownNumber: owner.number,
  counterparty: '01000000001',
  language: 'ko',
  instruction: 'Book a table',
  maxDurationSec: 600,
  recordingEnabled: true,
  startedAt: new Date('2026-11-21T03:00:00.000Z'),
  node: 'test',
  ...changes,
});

/** Inserts a ringing call; resolves to its id. */
export const storedCall = async (
  db: Database,
  owner: StoredNumber,
  changes: Partial<NewCallRow> = {},
): Promise<string> => {
  const newCall = newCallRow(owner, changes);
  await insertCall(db, newCall);
  return newCall.id;
};
