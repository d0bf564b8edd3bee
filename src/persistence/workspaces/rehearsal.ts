import { defineEntity, p } from '@mikro-orm/core';
import { rehearsalStatuses, type RehearsalResult } from '#src/domain/rehearsal.ts';
import { PhoneNumber } from '../numbers/phone-number.ts';
import { Workspace } from './workspace.ts';

/** A run of a suite on a number. Its calls have rows of their own. */
export const Rehearsal = defineEntity({
  name: 'Rehearsal',
  tableName: 'rehearsal',
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().fieldName('workspace_id'),
    numberId: () => p.manyToOne(PhoneNumber).mapToPk().fieldName('number_id'),
    /** Name of the suite, by which runs are compared. */
    suite: p.text(),
    /** The suite itself, in YAML. */
    source: p.text(),
    repeat: p.integer(),
    parallel: p.integer(),
    status: p.enum([...rehearsalStatuses]),
    /** Why the run ended early; null for a run to its end. */
    problem: p.text().nullable(),
    /** Actor that started the run, such as `admin:<token id>`. */
    actor: p.text(),
    /** Gateway that runs the suite. */
    node: p.text(),
    /** Last sign of life of that gateway. */
    aliveAt: p.datetime(3),
    callsAll: p.integer(),
    callsDone: p.integer().default(0),
    result: p.json<RehearsalResult>().nullable(),
    createdAt: p.datetime(3),
    startedAt: p.datetime(3).nullable(),
    endedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'rehearsal_running_unique', properties: ['numberId'], where: "status = 'running'" }],
  indexes: [
    { properties: ['workspaceId', 'createdAt', 'id'] },
    {
      name: 'rehearsal_unfinished_index',
      properties: ['numberId', 'createdAt'],
      where: "status in ('queued', 'running')",
    },
  ],
});
