import type { Administrator } from '#src/administration/administrator.ts';
import { listWorkspaces, type WorkspaceRecord } from '#src/administration/administer-workspaces.ts';
import { operator, type CommandContext } from './command.ts';
import { UsageError } from '../parse-options.ts';

const shown = (workspaces: readonly WorkspaceRecord[]): string =>
  workspaces.map(({ id, name }) => `"${name}" (${id})`).join(', ');

/**
 * Finds a workspace by id or name; without either, the only workspace. Throws a UsageError that lists the workspaces if
 * the choice is not clear.
 */
export const chooseWorkspace = async (
  { database }: Pick<CommandContext, 'database'>,
  named: string | undefined,
): Promise<WorkspaceRecord> => {
  const all = await listWorkspaces(database);
  if (all.length === 0) {
    throw new UsageError('There is no workspace yet: start the gateway once, or "workspaces create NAME"');
  }
  const found = named === undefined ? all : all.filter(({ id, name }) => id === named || name === named);
  const [first, ...others] = found;
  if (first === undefined)
    throw new UsageError(`There is no workspace "${named}" (there are: ${shown(all)})`);
  if (others.length === 0) return first;
  throw new UsageError(
    named === undefined
      ? `Say which workspace: ${shown(all)}`
      : `Several workspaces have this name; take the id: ${shown(found)}`,
  );
};

export const operatorOf = (
  { database, sealing, clock }: CommandContext,
  { id }: Pick<WorkspaceRecord, 'id'>,
): Administrator => ({ database, sealing, clock, workspaceId: id, actor: operator });
