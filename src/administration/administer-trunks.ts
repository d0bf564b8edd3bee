/**
 * Administration of a workspace's trunks (guides/design/administration.md, "Trunks"). Passwords of trunks are sealed
 * and never returned.
 */
import { randomUUID } from 'node:crypto';
import { snakeCase } from '#src/domain/field-names.ts';
import { invalidField, Refusal, type FieldError } from '#src/domain/refusal.ts';
import { isWide, trunkDefaults, type TrunkSettings } from '#src/domain/trunk.ts';
import { listNumbers, type NumberRecord } from '#src/persistence/numbers/numbers.ts';
import {
  createTrunk,
  deleteTrunk,
  findTrunk,
  patchTrunk,
  type TrunkRecord,
} from '#src/persistence/trunks/trunks.ts';
import { note, type Administrator, type WorkspaceReader } from './administrator.ts';

export { listTrunks, type TrunkRecord } from '#src/persistence/trunks/trunks.ts';

type GivenPassword = {
  /** An absent password keeps the stored one; null removes it. */
  password?: string | null | undefined;
};

export type NewTrunk = Partial<TrunkSettings> & Pick<TrunkSettings, 'name' | 'host'> & GivenPassword;

export type TrunkChange = Partial<TrunkSettings> & GivenPassword;

const trunkNotFound = (): Refusal =>
  new Refusal('not_found', 'There is no trunk with this id in the workspace.');

const nameTaken = (): Refusal =>
  invalidField({ path: 'name', message: 'The workspace has a trunk of this name already.' });

/** Rejects trunk settings that do not work together. */
const requirePossible = (
  trunk: Pick<TrunkSettings, 'username' | 'register' | 'inboundAuth' | 'codecs' | 'media'>,
  hasPassword: boolean,
): void => {
  const errors: FieldError[] = [];
  if (trunk.register && trunk.username === null)
    errors.push({ path: 'username', message: 'A trunk that is registered at needs a user name.' });
  if (hasPassword && trunk.username === null)
    errors.push({ path: 'password', message: 'A password needs a user name.' });
  if (trunk.inboundAuth === 'digest' && (trunk.username === null || !hasPassword))
    errors.push({
      path: 'inbound_auth',
      message: 'Callers can be authenticated only where user name and password are set.',
    });
  if (trunk.media === 'direct' && trunk.codecs?.some(isWide) === true)
    errors.push({
      path: 'codecs',
      message: 'Without FreeSWITCH (media direct) calls have PCMU and PCMA alone.',
    });
  if (errors.length > 0) throw invalidField(...errors);
};

/** Returns a trunk of the workspace. Throws a Refusal (`not_found`) for a trunk of another workspace. */
export const trunkOf = async (
  { database, workspaceId }: WorkspaceReader,
  trunkId: string,
): Promise<TrunkRecord> => {
  const trunk = await findTrunk(database, { trunkId, workspaceId });
  if (trunk === undefined) throw trunkNotFound();
  return trunk;
};

/** Rejects a trunk of another workspace; null and undefined are accepted. */
export const requireOwnTrunk = async (
  { database, workspaceId }: WorkspaceReader,
  trunkId: string | null | undefined,
): Promise<void> => {
  if (trunkId === null || trunkId === undefined) return;
  if ((await findTrunk(database, { trunkId, workspaceId })) === undefined)
    throw invalidField({ path: 'trunk_id', message: 'There is no trunk with this id in the workspace.' });
};

/** Adds a trunk. Throws a Refusal (`invalid_request`) for incompatible settings or a name in use. */
export const addTrunk = async (
  administrator: Administrator,
  { password = null, ...settings }: NewTrunk,
): Promise<TrunkRecord> => {
  const { database, sealing, clock, workspaceId } = administrator;
  const id = randomUUID();
  const wanted = {
    ...trunkDefaults,
    ...settings,
    id,
    workspaceId,
    passwordSealed: password === null ? null : sealing.seal(password, id),
    createdAt: new Date(clock.now()),
  };
  requirePossible(wanted, password !== null);
  const created = await createTrunk(database, wanted);
  if (created === undefined) throw nameTaken();
  await note(administrator, { action: 'trunk.created', subject: `trunk:${id}` });
  return created;
};

/** Changes a trunk for future calls. Throws a Refusal: `not_found`, or `invalid_request` like `addTrunk`. */
export const changeTrunk = async (
  administrator: Administrator,
  trunkId: string,
  change: TrunkChange,
): Promise<TrunkRecord> => {
  const { database, sealing, workspaceId } = administrator;
  const before = await trunkOf(administrator, trunkId);
  const { password, ...settings } = change;
  const passwordSealed = typeof password === 'string' ? sealing.seal(password, trunkId) : password;
  const passwordThen = passwordSealed === undefined ? before.passwordSealed : passwordSealed;
  requirePossible({ ...before, ...settings }, passwordThen !== null);
  const changed = await patchTrunk(database, { trunkId, workspaceId }, { ...settings, passwordSealed });
  if (changed === undefined) throw trunkNotFound();
  if (changed === 'name_taken') throw nameTaken();
  await note(administrator, {
    action: 'trunk.changed',
    subject: `trunk:${trunkId}`,
    detail: { fields: Object.keys(change).map(snakeCase) },
  });
  return changed;
};

/**
 * Removes a trunk. Numbers bound to the removed trunk use the workspace's other trunks from then on. Throws a Refusal
 * (`not_found`).
 */
export const removeTrunk = async (administrator: Administrator, trunkId: string): Promise<void> => {
  const { database, workspaceId } = administrator;
  if (!(await deleteTrunk(database, { trunkId, workspaceId }))) throw trunkNotFound();
  await note(administrator, { action: 'trunk.deleted', subject: `trunk:${trunkId}` });
};

/**
 * Returns the trunk to which a number of the workspace (domestic format) is bound; null for a number without a trunk of
 * its own. Rejects numbers of other workspaces.
 */
export const boundTrunkOf = async (
  { database, workspaceId }: WorkspaceReader,
  number: string,
): Promise<string | null> => {
  const known = (await listNumbers(database, workspaceId)).find((one) => one.number === number);
  if (known === undefined) throw invalidField({ path: 'from', message: 'The workspace has no such number.' });
  return known.trunkId;
};

/**
 * Returns the number from which a trunk is tested: one bound to the trunk, else any of the workspace. Throws a Refusal
 * (`service_unavailable`) if the workspace has no number.
 */
export const numberToTry = async (
  { database, workspaceId }: WorkspaceReader,
  trunk: TrunkRecord,
): Promise<NumberRecord> => {
  const numbers = await listNumbers(database, workspaceId);
  const own = numbers.find(({ trunkId }) => trunkId === trunk.id) ?? numbers[0];
  if (own === undefined)
    throw new Refusal('service_unavailable', 'The workspace has no number that could call.');
  return own;
};
