/** Recordings over a database of the test's own; facts are written as by a journal. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import pino from 'pino';
import { systemClock } from '#src/clocks.ts';
import { journalPosition, recordFact } from '#src/persistence/calls/call-facts.ts';
import { recordingStatuses } from '#src/persistence/calls/recordings.ts';
import {
  type AbandonedNumbers,
  type RecordingFact,
  type Recordings,
  createRecordings,
} from '#src/recordings/recordings.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { ErasedNumbers } from '#src/recordings/erased-files.ts';
import type { PartUploadNumbers } from '#src/recordings/part-uploads.ts';
import type { AssemblyNumbers, OtherParts } from '#src/recordings/assembly.ts';
import { createS3Store } from '#src/recordings/s3-store.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import type { S3Server } from './s3-server.ts';
import { tone } from './tone.ts';

const storeOn = (
  server: S3Server,
  { pendingMs = 3_600_000, parts = null }: { pendingMs?: number; parts?: PartUploadNumbers | null },
) => ({
  store: createS3Store(server, { connectMs: 60_000, stallMs: 60_000, partBytes: 5_000 }),
  prefix: 'kept/',
  numbers: { atOnce: 2, retryFirstMs: 20, retryLongestMs: 80, pendingMs },
  parts,
});

export const encoding = { threads: 1, idleMs: 60_000, closeMs: 60_000 };

export const assembly: AssemblyNumbers = {
  everyMs: 50,
  askAgainMs: 50,
  waitMs: 0,
  storeMs: 3_600_000,
  keepMs: 3_600_000,
  longestBackoffMs: 50,
  overdueMs: 3_600_000,
};

/** Creates a world of recordings. `database`: the database of another gateway's world, which the new world shares. */
export const recordingsWorld = async (
  t: ExecutionContext,
  { database: shared }: { database?: Database } = {},
) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-recordings-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const database = shared ?? (await testDatabase(t));
  const number = await storedNumber(database);
  const facts: (RecordingFact & { callId: string })[] = [];
  const writes: Promise<void>[] = [];
  // Registered before those that end the recordings, so it runs after them; the database ends only then.
  t.teardown(() => Promise.all(writes));
  /** Tests of a file share a database. */
  const ownNode = randomUUID();
  const month = new Date().toISOString().slice(0, 7);
  const end = async (callId: string, at = Date.now()): Promise<void> => {
    await recordFact(database, callId, 2, {
      type: 'call.ended',
      at,
      reason: 'agent_hangup',
      status: 'completed',
    });
  };
  return {
    folder,
    database,
    node: ownNode,
    facts,
    typesOf: (callId: string) => facts.filter((fact) => fact.callId === callId).map(({ type }) => type),
    statusOf: async (callId: string) => (await recordingStatuses(database, [callId])).get(callId),
    /** A recorded call that was answered and, by default, has ended. */
    async call(
      status: 'active' | 'completed' = 'completed',
      node: string = ownNode,
      endedAt: number = Date.now(),
    ): Promise<string> {
      const callId = await storedCall(database, number, { node });
      await recordFact(database, callId, 1, { type: 'call.answered', at: Date.now() });
      if (status === 'completed') await end(callId, endedAt);
      return callId;
    },
    end,
    pathOf: (name: string): string => join(folder, month, name),
    /** Files that a process has left in the folder. */
    async leave(name: string, bytes: Uint8Array): Promise<void> {
      await mkdir(join(folder, month), { recursive: true });
      await writeFile(join(folder, month, name), bytes);
    },
    /** A raw part that a process has left in the folder. */
    async leavePart(name: string, bytes: Uint8Array): Promise<void> {
      await mkdir(join(folder, 'parts'), { recursive: true });
      await writeFile(join(folder, 'parts', name), bytes);
    },
    files: async () => (await readdir(folder, { recursive: true })).filter((name) => name.includes('.')),
    /** A gateway's recordings from its start on; they end with the test. */
    async start(
      server: S3Server | null,
      options: {
        isJournalAway?: boolean;
        pendingMs?: number;
        format?: 'ogg' | 'mp3';
        abandoned?: AbandonedNumbers;
        erased?: ErasedNumbers;
        assembly?: Partial<AssemblyNumbers>;
        otherParts?: OtherParts;
        /** Uploads of raw parts; none by default. */
        parts?: PartUploadNumbers;
      } = {},
    ): Promise<Recordings> {
      const recordings = await createRecordings({
        folder,
        format: options.format ?? 'ogg',
        store: server && storeOn(server, options),
        // Filters out recordings of stopped gateways, which other tests of the file leave.
        abandoned: options.abandoned ?? { everyMs: 3_600_000, afterMs: 365 * 86_400_000 },
        erased: options.erased ?? { everyMs: 3_600_000, atOnce: 1_000 },
        encoding,
        assembly: { ...assembly, ...options.assembly },
        otherParts: options.otherParts ?? null,
        database,
        node: ownNode,
        append(callId, fact) {
          facts.push({ ...fact, callId });
          if (options.isJournalAway === true) return;
          const write = async (): Promise<void> => {
            await recordFact(database, callId, (await journalPosition(database, callId)).sequence + 1, fact);
          };
          writes.push(write());
        },
        clock: systemClock,
        logger: pino({ level: 'silent' }),
      });
      t.teardown(() => recordings.close());
      return recordings;
    },
  };
};

/** Records a call of some seconds. */
export const record = ({ begin }: Recordings, callId: string, seconds = 3): void => {
  const sink = begin(callId);
  for (let second = 0; second < seconds; second += 1) sink.write(tone(1, 440), tone(1, 880));
  sink.finish();
};
