import { defineEntity, p } from '@mikro-orm/core';
import type { Script, ScriptRehearsal } from '#src/domain/simulated-callee.ts';
import { Workspace } from './workspace.ts';

/** A callee of the simulated line with a script; calls of its workspace reach it at any gateway. */
export const SimulatedCallee = defineEntity({
  name: 'SimulatedCallee',
  tableName: 'simulated_callee',
  properties: {
    workspaceId: () => p.manyToOne(Workspace).mapToPk().primary().fieldName('workspace_id'),
    /** Domestic format. */
    number: p.text().primary(),
    script: p.json<Script>(),
    /** Null if the script is not watched. */
    rehearsal: p.json<ScriptRehearsal>().nullable(),
  },
});
