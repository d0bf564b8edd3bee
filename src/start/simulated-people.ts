/** The people of the simulated network, as the admin API plays them: callers that call in, callees that are defined. */
import { parseScript, type Role, type Script } from '#sip/simulator/script.ts';
import type { SimulatorLines } from '#sip/simulator/simulator-lines.ts';
import type { Simulator } from '#src/api/api-services.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { findNumberByDigits } from '#src/persistence/callable-numbers.ts';
import { findCall } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';

/** A script that was checked before. */
const parsed = (steps: readonly unknown[], role: Role): Script => {
  const { script, errors } = parseScript(steps, role);
  if (script === undefined) throw new Error(`A script was not checked: ${errors[0]?.message}`);
  return script;
};

export const createSimulatedPeople = (lines: SimulatorLines, database: Database): Simulator => ({
  checkScript: (steps, role) => parseScript(steps, role).errors ?? [],
  async receiveSimulatedCall({ workspaceId, to, from, script }) {
    const number = await findNumberByDigits(database, to);
    if (number === undefined || number.workspace.id !== workspaceId) {
      throw new Refusal('number_not_found', 'This workspace has no such number.');
    }
    const { callId, verdict } = await lines.placeInbound({
      to,
      from,
      script: script === null ? null : parsed(script, 'caller'),
    });
    if (!verdict.accepted && verdict.because === 'draining') {
      throw new Refusal('draining', 'This gateway is shutting down and takes no new calls.');
    }
    if (!verdict.accepted && verdict.because === 'concurrency_limit') {
      throw new Refusal(
        'concurrency_limit',
        'The call was not taken: the number or the workspace has all the calls that it may have.',
      );
    }
    if (!verdict.accepted && verdict.because === 'over_capacity') {
      throw new Refusal('over_capacity', 'This gateway cannot take another call right now.');
    }
    const call = await findCall(database, { callId, workspaceId });
    if (call === undefined) throw new Error('A simulated call arrived and left no row');
    return { callId, status: call.status, endReason: call.endReason };
  },
  defineCallee: (workspaceId, number, script) =>
    lines.defineCallee(number, parsed(script, 'callee'), workspaceId),
  calleeScript: (workspaceId, number) => lines.calleeScript(number, workspaceId),
});
