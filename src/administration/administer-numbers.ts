/** Numbers of a workspace: add, change, delete. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { callPolicyFields } from '#src/domain/call-policy.ts';
import { snakeCase } from '#src/domain/field-names.ts';
import type { Language } from '#src/domain/language.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { readAgentBindings, type AgentBindings } from '#src/persistence/numbers/agent-bindings.ts';
import { findLastCalls, type LastCall } from '#src/persistence/calls/last-call.ts';
import { findNumberKeys } from '#src/persistence/numbers/number-keys.ts';
import {
  createNumber,
  deleteNumber,
  findNumber,
  patchNumber,
  type NumberPatch,
  type NumberRecord,
} from '#src/persistence/numbers/numbers.ts';
import { changesBetween, inWords, note, type Administrator, type WorkspaceReader } from './administrator.ts';
import { chooseSpeech, type Engines } from './choose-speech.ts';
import { requireTurnEnd } from './choose-turn-end.ts';
import { requireOwnTrunk } from './administer-trunks.ts';

export { listNumbers, type NumberRecord } from '#src/persistence/numbers/numbers.ts';

export const numberNotFound = (): Refusal =>
  new Refusal('number_not_found', 'There is no number with this id in the workspace.');

/**
 * Returns a number of the workspace. Throws a Refusal (`number_not_found`) for a deleted number, or a number of another
 * workspace.
 */
export const numberOf = async (
  { database, workspaceId }: WorkspaceReader,
  numberId: string,
): Promise<NumberRecord> => {
  const number = await findNumber(database, { numberId, workspaceId });
  if (number === undefined) throw numberNotFound();
  return number;
};

export type NumberDetails = NumberRecord & {
  agents: AgentBindings;
  /** Null if no key was issued. */
  key: { issuedAt: Date; recoverable: boolean; tail: string | null } | null;
  /** The call that began last; null before the first one. */
  lastCall: LastCall | null;
};

/**
 * Reads agents, keys and last calls of numbers by one statement each. The returned function adds them to one of the
 * numbers.
 */
export const readDetails = async (
  { database }: Pick<Administrator, 'database'>,
  numbers: readonly NumberRecord[],
): Promise<(number: NumberRecord) => NumberDetails> => {
  const ids = numbers.map(({ id }) => id);
  const [agentsOf, keys, lastCalls] = await Promise.all([
    readAgentBindings(database, ids),
    findNumberKeys(database, ids),
    findLastCalls(database, ids),
  ]);
  return (number) => {
    const key = keys.get(number.id);
    return {
      ...number,
      agents: agentsOf(number.id),
      key:
        key === undefined
          ? null
          : { issuedAt: key.issuedAt, recoverable: key.keySealed !== null, tail: key.keyTail },
      lastCall: lastCalls.get(number.id) ?? null,
    };
  };
};

/**
 * Adds a number. `number` is in domestic format, digits only. Throws a Refusal `number_taken` if any workspace has the
 * number.
 */
export const addNumber = async (
  administrator: Administrator,
  given: NumberPatch & { number: string; language: Language },
): Promise<NumberRecord> => {
  const { database, clock, workspaceId } = administrator;
  const created = await createNumber(database, {
    ...given,
    id: randomUUID(),
    workspaceId,
    createdAt: new Date(clock.now()),
  });
  if (created === undefined) throw new Refusal('number_taken', 'This number exists on this gateway already.');
  await note(administrator, {
    action: 'number.created',
    subject: `number:${created.id}`,
    detail: { number: created.number },
  });
  return created;
};

/**
 * Settings that are audited with their values. Spoken texts and telephone numbers are audited by their name only; the
 * consent announcement is an exception, because its text must be provable.
 */
const auditedSettings = [
  ...callPolicyFields,
  'dailyMinutes',
  'listenIn',
  'language',
  'voicemail',
  'screening',
  'menu',
  'recordTransfers',
  'transferMaxDurationSec',
  'trunkId',
  'recognizer',
  'synthesizer',
  'voice',
] as const;

/** Returns the names of the settings that a patch has changed, in the API's terms. */
const changedFields = (patch: NumberPatch, before: NumberRecord, after: NumberRecord): string[] =>
  Object.keys(patch)
    .filter((name) => !isDeepStrictEqual(Reflect.get(before, name), Reflect.get(after, name)))
    .map(snakeCase);

/**
 * Changes the settings of a number; calls in progress keep the old ones. Throws a Refusal: `number_not_found`, or
 * `invalid_request` for a trunk of another workspace, an unknown engine, an impossible voice, or an unavailable
 * turn-end judge.
 */
export const changeNumber = async (
  administrator: Administrator,
  numberId: string,
  patch: NumberPatch,
  engines: Engines,
): Promise<NumberRecord> => {
  const { database, workspaceId } = administrator;
  await requireOwnTrunk(administrator, patch.trunkId);
  const before = await numberOf(administrator, numberId);
  const speech = chooseSpeech(engines, patch, before);
  requireTurnEnd(
    engines,
    patch.turnEnd,
    speech.recognizer === undefined ? before.recognizer : speech.recognizer,
  );
  const changed = await patchNumber(database, { numberId, workspaceId }, { ...patch, ...speech });
  if (changed === undefined) throw numberNotFound();
  await note(administrator, {
    action: 'number.changed',
    subject: `number:${numberId}`,
    detail: {
      fields: changedFields(patch, before, changed),
      changes: changesBetween(auditedSettings, inWords(before), inWords(changed)),
    },
  });
  return changed;
};

/**
 * Removes a number. The number's key becomes invalid at once, and the number may be added again; calls, records and the
 * audit log remain. Throws a Refusal: `number_not_found`, or `number_in_use` during a call.
 */
export const removeNumber = async (administrator: Administrator, numberId: string): Promise<NumberRecord> => {
  const { database, clock, workspaceId } = administrator;
  const number = await numberOf(administrator, numberId);
  const outcome = await deleteNumber(database, { numberId, workspaceId }, new Date(clock.now()));
  if (outcome === 'unknown') throw numberNotFound();
  if (outcome === 'in_use') {
    throw new Refusal(
      'number_in_use',
      'This number has calls in progress. Wait until they have ended, or end them, and delete it then.',
    );
  }
  await note(administrator, {
    action: 'number.deleted',
    subject: `number:${numberId}`,
    detail: { number: number.number },
  });
  return number;
};
