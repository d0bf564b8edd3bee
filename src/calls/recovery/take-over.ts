/**
 * Takes over the calls of a dead process (guides/design/architecture.md, "Taking over"): each gets an actor that
 * resumes from the stored state, and its line is taken over. Calls that cannot be resumed are ended.
 */
import type { Logger } from 'pino';
import type { TakenOverCall } from '#machines/taken-over.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { agentContext } from '#src/domain/agent-context.ts';
import { isLanguage } from '#src/domain/language.ts';
import type { LeftLeg, LeftLine } from '#src/domain/sip-leg.ts';
import { journalOf } from '#src/persistence/call-journal.ts';
import { byOtherClock, type Revival } from '#src/persistence/call-revivals.ts';
import type { Database } from '#src/persistence/database.ts';
import type { TakenCall } from '#src/persistence/held-calls.ts';
import { openHeaders } from '#src/persistence/sealed-headers.ts';
import type { Sealing } from '#src/persistence/sealing.ts';
import { legsOfCalls } from '#src/persistence/sip-legs.ts';
import type { Journal } from '../journal/journal.ts';
import type { CallTime } from '../live/call-time.ts';
import type { Switchboard } from '../live/switchboard.ts';
import type { CallObserver } from '../observer.ts';
import { callInput, type CallTimes } from '../setup/call-input.ts';
import type { LostCalls } from './lost-calls.ts';
import { resumption } from './resumption.ts';

export type TakeOver = {
  /** Resolves when each of these calls has its actor here, or is being ended. Never rejects. */
  goOn(calls: readonly TakenCall[]): Promise<void>;
};

type Revivable = TakenCall & { revival: Revival };

export const isRevivable = (call: TakenCall): call is Revivable => call.revival !== null;

export type TakeOverOptions = {
  database: Database;
  sealing: Pick<Sealing, 'open'>;
  journal: Pick<Journal, 'open'>;
  lostCalls: Pick<LostCalls, 'end'>;
  switchboard: Pick<Switchboard, 'connect'>;
  observer: Pick<CallObserver, 'began'>;
  /** Keeps the input of the agent until the call is released. */
  keepAgent: (callId: string, agentCall: AgentCall, workspaceId: string) => void;
  /** The next line of this call takes over the existing leg. */
  expectLine: (callId: string, left: LeftLine) => void;
  /** Its recording continues the one of `node`; `talkedMs`: time since the answer, at the time of the query. */
  expectRecording: (callId: string, earlier: { talkedMs: () => number; node: string }) => void;
  times: CallTimes;
  /** The name of this gateway among those that share the database. */
  node: string;
  callTime: Pick<CallTime, 'goOn' | 'now' | 'shiftOf' | 'release'>;
  /** Both in milliseconds since the epoch. */
  clocks: { wall: () => number; database: () => number };
  logger: Logger;
};

/** Maximum of journals that are read concurrently. */
const atOnce = 16;

/** Number of the other party's turns that its agent has received. */
const turnsTold = ({ conversation: { messages, unanswered } }: TakenOverCall): number =>
  messages.filter(({ role }) => role === 'user').length - unanswered;

const connectedWith = ({ transfer }: TakenOverCall): LeftLine['connectedWith'] =>
  transfer?.state === 'connected' ? { to: transfer.to, talkedMs: transfer.talkedMs } : null;

/** Milliseconds without a holder for a call that was handed over; null if its holder died. */
const unheldMsOf = (progress: Revival['progress'], now: number): number | null =>
  progress === null || progress.leftAt === null ? null : now - progress.leftAt;

/** Creates the actor of a call here. Rejects if that is impossible. */
const createConnect = (options: TakeOverOptions) => {
  const { database, sealing, journal, callTime, clocks, node } = options;

  /** Current time of the call. Older gateways did not store its offset. */
  const nowIn = ({ revival: { aheadMs } }: Revivable, answeredAt: Date): number =>
    Math.max(answeredAt.getTime(), aheadMs === null ? clocks.wall() : clocks.database() + aheadMs);

  const agentCallOf = (
    { id, direction, ownNumber, counterparty, language, instruction, revival }: Revivable,
    turnsTold: number,
  ): AgentCall => ({
    context: agentContext({ id, direction, ownNumber, counterparty, language }),
    binding: revival.beginning.binding,
    bearerToken: revival.tokenSealed && sealing.open(revival.tokenSealed, id),
    headers: openHeaders(sealing, revival.headersSealed ?? {}, id),
    instruction,
    transferTo: revival.beginning.transferTo,
    turnsTold,
  });

  return async (call: Revivable, legs: readonly LeftLeg[]): Promise<void> => {
    const { id: callId, direction, revival, language, numberId, workspaceId, answeredAt } = call;
    if (!isLanguage(language) || answeredAt === null) throw new Error('This call cannot go on');
    const facts = await journalOf(database, callId);
    const { greeting, policy, speech, voicemail, screening, menu } = revival.beginning;
    callTime.goOn(callId, nowIn(call, answeredAt));
    const talkedMs = (): number => callTime.now(callId) - answeredAt.getTime();
    const fresh = callInput({
      agentCall: agentCallOf(call, 0),
      language,
      policy,
      maxDurationSec: Math.max(0, call.maxDurationSec - talkedMs() / 1_000),
      greeting,
      speech,
      voicemail,
      screening,
      menu,
      times: options.times,
    });
    const progress = revival.progress && byOtherClock(revival.progress, -callTime.shiftOf(callId));
    const now = callTime.now(callId);
    const takenOver = resumption(
      {
        call,
        revival: { ...revival, progress },
        facts,
        kickoff: fresh.kickoff,
        greeting: fresh.greeting,
        now,
        unheldMs: unheldMsOf(revival.progress, now),
      },
      node,
    );
    options.observer.began({ callId, direction });
    journal.open(callId, { sequence: facts.at(-1)?.sequence ?? 0, epoch: call.epoch });
    options.keepAgent(callId, agentCallOf(call, turnsTold(takenOver)), workspaceId);
    options.expectLine(callId, { legs, connectedWith: connectedWith(takenOver) });
    if (fresh.recording) options.expectRecording(callId, { talkedMs, node: call.takenFrom });
    options.switchboard.connect({ numberId, workspaceId, input: { ...fresh, takenOver } });
  };
};

export const createTakeOver = (options: TakeOverOptions): TakeOver => {
  const { database, sealing, lostCalls, callTime, logger } = options;
  const connect = createConnect(options);

  const goOnWith = async (call: Revivable, legs: readonly LeftLeg[]): Promise<void> => {
    try {
      await connect(call, legs);
    } catch (error) {
      logger.error({ call_id: call.id, err: error }, 'a call could not be taken over');
      callTime.release(call.id);
      lostCalls.end(call);
    }
  };

  const legsOf = async (calls: readonly Revivable[]): Promise<Map<string | null, readonly LeftLeg[]>> => {
    const legs = await legsOfCalls(
      database,
      sealing,
      calls.map(({ id }) => id),
    );
    return Map.groupBy(legs, ({ callId }) => callId);
  };

  return {
    async goOn(calls) {
      const waiting = calls.filter(isRevivable);
      if (waiting.length === 0) return;
      let legs: Awaited<ReturnType<typeof legsOf>>;
      try {
        legs = await legsOf(waiting);
      } catch (error) {
        logger.error({ err: error, calls: waiting.length }, 'calls could not be taken over');
        for (const call of waiting) lostCalls.end(call);
        return;
      }
      const queue = waiting.values();
      const workOff = async (): Promise<void> => {
        for (const call of queue) await goOnWith(call, legs.get(call.id) ?? []);
      };
      await Promise.all(Array.from({ length: atOnce }, workOff));
    },
  };
};
