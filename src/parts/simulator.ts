/** The simulated telephone network: callers and callees of the admin API, and calls from web phones. */
import { parseScript, type Role, type Script } from '#sip/simulator/script.ts';
import type { Rehearsal } from '#sip/simulator/script-watch.ts';
import type { SimulatorLines } from '#sip/simulator/simulator-lines.ts';
import type { Person } from '#sip/simulator/transferring.ts';
import type { ScriptRehearsal, Simulator } from '#src/api/api-services.ts';
import { loadPatterns } from '#src/domain/said-pattern.ts';
import { takenHeaders, type SipHeaders } from '#src/domain/sip-headers.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { findNumberByDigits } from '#src/persistence/numbers/callable-numbers.ts';
import { findCall } from '#src/persistence/calls/calls.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { trunkHeadersOf } from '#src/persistence/trunks/trunks.ts';
import type { Dial } from '#sip/webphone/web-phones.ts';
import { normalizePhoneNumber, type Country } from '#src/domain/phone-number.ts';

/** Caller number of a web phone. */
const ownNumber = '01055559999';

/** Places calls from a web phone, only to numbers of its own workspace. */
export const createDialFromPhone =
  (options: { placeInbound: SimulatorLines['placeInbound']; database: Database; country: Country }): Dial =>
  async ({ workspaceId, to, partyFor }) => {
    const digits = normalizePhoneNumber(to, options.country);
    const number = digits === undefined ? undefined : await findNumberByDigits(options.database, digits);
    if (number?.workspace.id !== workspaceId) return { accepted: false, because: 'number_not_found' };
    const call = { to: number.number, from: ownNumber, script: null, partyFor };
    const { verdict } = await options.placeInbound(call);
    if (verdict.accepted) return verdict;
    const { because } = verdict;
    return { accepted: false, because: because === 'unknown_number' ? 'number_not_found' : because };
  };

/** A validated script. */
const parsed = (steps: readonly unknown[], role: Role): Script => {
  const { script, errors } = parseScript(steps, role);
  if (script === undefined) throw new Error(`A script was not checked: ${errors[0]?.message}`);
  return script;
};

/** A simulated caller uses no trunk: headers accepted by any trunk of the number are accepted. */
const takenBySomeTrunk = async (
  database: Database,
  number: string,
  headers: SipHeaders,
): Promise<SipHeaders | null> => {
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const trunks = await trunkHeadersOf(database, number, null);
  const names = trunks.flatMap(({ headersIn }) => headersIn);
  return takenHeaders((name) => given.get(name.toLowerCase()), names);
};

const personWho = {
  accepts: 'accepting',
  declines: 'declining',
  busy: { isNotReached: 'busy' },
  no_answer: 'absent',
} as const satisfies Record<string, Person>;

const watching = async (
  rehearsal: ScriptRehearsal | undefined,
): Promise<{ rehearsal: Rehearsal } | undefined> =>
  rehearsal && {
    rehearsal: {
      stepTimeoutMs: rehearsal.stepTimeoutSec * 1_000,
      readPattern: await loadPatterns(),
      people: new Map(
        Object.entries(rehearsal.people ?? {}).map(([number, does]) => [number, personWho[does]]),
      ),
    },
  };

export const createSimulatedPeople = (lines: SimulatorLines, database: Database): Simulator => ({
  checkScript: async (steps, role) => parseScript(steps, role, await loadPatterns()).errors ?? [],
  async receiveSimulatedCall({ workspaceId, to, from, script, sipHeaders, rehearsal }) {
    const number = await findNumberByDigits(database, to);
    if (number === undefined || number.workspace.id !== workspaceId) {
      throw new Refusal('number_not_found', 'This workspace has no such number.');
    }
    const { callId, verdict } = await lines.placeInbound({
      to,
      from,
      sipHeaders: sipHeaders === undefined ? null : await takenBySomeTrunk(database, to, sipHeaders),
      script: script === null ? null : parsed(script, 'caller'),
      ...(await watching(rehearsal)),
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
  defineCallee: async (workspaceId, number, script, rehearsal) => {
    const watched = await watching(rehearsal);
    lines.defineCallee(number, parsed(script, 'callee'), workspaceId, watched?.rehearsal);
  },
  calleeScript: (workspaceId, number) => lines.calleeScript(number, workspaceId),
  scriptProgress: lines.scriptProgress,
});
