/**
 * Takes over the calls of a dead process (guides/design/architecture.md, "Taking over"): each gets an actor that
 * resumes from the stored state, and its line is taken over. Calls that cannot be resumed are ended.
 */
import type { Logger } from 'pino';
import type { CallResumeState } from '#machines/resume-state.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { agentContext, partiesOf } from '#src/domain/agent-context.ts';
import type { Clock } from '#src/domain/clock.ts';
import { timeSlices } from '#src/domain/time-slices.ts';
import { isLanguage } from '#src/domain/language.ts';
import type { HeardBefore, LineResumeState, OrphanLeg } from '#src/domain/sip-leg.ts';
import { journalOf, journalsOf, type JournalEntry } from '#src/persistence/calls/call-journal.ts';
import { byOtherClock, type Checkpoint } from '#src/persistence/calls/call-checkpoints.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { TakenCall } from '#src/persistence/calls/claim-calls.ts';
import { openHeaders } from '#src/persistence/numbers/sealed-headers.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import { openFarEnd } from '#src/persistence/calls/checkpoint-far-end.ts';
import { openLegs } from '#src/persistence/calls/checkpoint-legs.ts';
import type { Checkpoints } from './checkpoint/checkpoints.ts';
import type { Journal } from '#src/calls/journal/journal.ts';
import type { CallTime } from '#src/calls/live/call-time.ts';
import type { Switchboard } from '#src/calls/live/switchboard.ts';
import type { CallBus } from '#src/calls/call-bus.ts';
import type { CallTimes } from '#src/calls/call-parts.ts';
import { callInput } from '#src/calls/setup/start-call.ts';
import type { OrphanedCalls } from './orphaned-calls.ts';
import { resumeStateOf } from './resume-state.ts';

export type TakeOver = {
  /** Resolves when each of these calls has its actor here, or is being ended with its far ends. Never rejects. */
  resume(calls: readonly TakenCall[]): Promise<void>;
};

type Resumable = TakenCall & { checkpoint: Checkpoint };

export const isResumable = (call: TakenCall): call is Resumable => call.checkpoint !== null;

export type TakeOverOptions = {
  database: Database;
  sealing: Sealing;
  journal: Pick<Journal, 'open'>;
  orphanedCalls: Pick<OrphanedCalls, 'end'>;
  switchboard: Pick<Switchboard, 'connect'>;
  bus: Pick<CallBus, 'publish'>;
  /** Keeps the input of the agent until the call is released. */
  keepAgent: (callId: string, agentCall: AgentCall, workspaceId: string) => void;
  /** Stores changes of the call's checkpoint from now on. */
  checkpoints: Pick<Checkpoints, 'resume'>;
  /** Makes the next line of this call take over the existing leg. */
  expectLine: (callId: string, state: LineResumeState) => void;
  /** Hangs up the far ends of a call that is ended here. */
  endLegs: (legs: readonly OrphanLeg[]) => void;
  /**
   * The recording of the call continues the one of `node`; `talkedMs`: time since the answer, at the time of the query.
   */
  expectRecording: (callId: string, earlier: { talkedMs: () => number; node: string }) => void;
  times: CallTimes;
  /** The name of this gateway among those that share the database. */
  node: string;
  callTime: Pick<CallTime, 'resume' | 'now' | 'shiftOf' | 'release'>;
  /** Both in milliseconds since the epoch. */
  clocks: { wall: () => number; database: () => number };
  timers: Pick<Clock, 'setTimeout'>;
  /** Time in which calls start before the event loop does other work (`timeSlices`). */
  sliceMs?: number;
  logger: Logger;
};

/** Calls whose journals are read in one query. */
const batchSize = 64;

/**
 * Pause before journals are read again while the database is unavailable, and number of repetitions for all calls of a
 * take-over together. Afterwards the relay and FreeSWITCH have hung up.
 */
const rereading = { everyMs: 500, times: 50 };

/** Number of the other party's turns that the agent server has received. */
const turnsReceived = ({ conversation: { messages, unanswered } }: CallResumeState): number =>
  messages.filter(({ role }) => role === 'user').length - unanswered;

const connectedWith = ({ transfer }: CallResumeState): LineResumeState['connectedWith'] =>
  transfer?.state === 'connected' ? { to: transfer.to, talkedMs: transfer.talkedMs } : null;

/** The words of the call so far, and the pauses of its recording. */
const heardBefore = (
  facts: readonly JournalEntry[],
  { answeredAt, talkedMs }: { answeredAt: Date; talkedMs: number },
): HeardBefore => {
  const placeOf = (at: number): number => Math.max(0, at - answeredAt.getTime());
  const pauses: { fromMs: number; toMs: number | null }[] = [];
  for (const { type, at } of facts) {
    const last = pauses.at(-1);
    if (type === 'recording.paused') pauses.push({ fromMs: placeOf(at.getTime()), toMs: null });
    if (type === 'recording.resumed' && last !== undefined) last.toMs ??= placeOf(at.getTime());
  }
  const turns = facts.flatMap(({ at, role, text, data: { endedAt } }) =>
    role === null || text === null || typeof endedAt !== 'number'
      ? []
      : [{ role, text, fromMs: placeOf(at.getTime()), toMs: placeOf(endedAt) }],
  );
  return { turns: turns.toSorted((one, other) => one.fromMs - other.fromMs), pauses, talkedMs };
};

/** Milliseconds without a holder for a call that was handed over; null if its holder died. */
const unheldMsOf = (progress: Checkpoint['progress'], now: number): number | null =>
  progress === null || progress.leftAt === null ? null : now - progress.leftAt;

/** Creates the actor of a call here. Throws if that is impossible. */
const createConnect = (options: TakeOverOptions) => {
  const { sealing, journal, callTime, clocks, node } = options;

  /** Current time of the call. Older gateways did not store its offset. */
  const nowIn = ({ checkpoint: { aheadMs } }: Resumable, answeredAt: Date): number =>
    Math.max(answeredAt.getTime(), aheadMs === null ? clocks.wall() : clocks.database() + aheadMs);

  const agentCallOf = (
    { id, direction, ownNumber, counterparty, language, instruction, checkpoint }: Resumable,
    turnsReceived: number,
  ): AgentCall => ({
    context: agentContext({
      id,
      direction,
      ...partiesOf({ direction, ownNumber, counterparty }),
      language,
    }),
    binding: checkpoint.settings.binding,
    bearerToken: checkpoint.tokenSealed && sealing.open(checkpoint.tokenSealed, id),
    headers: openHeaders(sealing, checkpoint.headersSealed ?? {}, id),
    instruction,
    transferTo: checkpoint.settings.transferTo,
    turnsReceived,
  });

  return (call: Resumable, facts: readonly JournalEntry[]): void => {
    const { id: callId, direction, checkpoint, language, numberId, workspaceId, answeredAt } = call;
    if (!isLanguage(language) || answeredAt === null) throw new Error('This call cannot go on');
    const legs = openLegs(sealing, call.legs);
    callTime.resume(callId, nowIn(call, answeredAt));
    const talkedMs = (): number => callTime.now(callId) - answeredAt.getTime();
    const fresh = callInput({
      agentCall: agentCallOf(call, 0),
      language,
      settings: checkpoint.settings,
      maxDurationSec: Math.max(0, call.maxDurationSec - talkedMs() / 1_000),
      times: options.times,
    });
    const progress = checkpoint.progress && byOtherClock(checkpoint.progress, -callTime.shiftOf(callId));
    const now = callTime.now(callId);
    const unheldMs = unheldMsOf(checkpoint.progress, now);
    const takenOver = resumeStateOf(
      {
        call,
        checkpoint: { ...checkpoint, progress },
        facts,
        kickoff: fresh.kickoff,
        greeting: fresh.greeting,
        now,
        unheldMs,
      },
      { node, from: call.takenFrom },
    );
    options.bus.publish('began', { callId, direction });
    journal.open(callId, { sequence: facts.at(-1)?.sequence ?? 0, epoch: call.epoch });
    options.keepAgent(callId, agentCallOf(call, turnsReceived(takenOver)), workspaceId);
    options.checkpoints.resume(callId, legs);
    options.expectLine(callId, {
      legs,
      farEnd: openFarEnd(
        sealing,
        checkpoint.progress?.farEnd ?? null,
        checkpoint.settings.scriptSealed,
        callId,
      ),
      connectedWith: connectedWith(takenOver),
      formerSends: unheldMs !== null && call.takenFrom !== node,
      heard: fresh.recording ? heardBefore(facts, { answeredAt, talkedMs: talkedMs() }) : null,
    });
    if (fresh.recording) options.expectRecording(callId, { talkedMs, node: call.takenFrom });
    options.switchboard.connect({ numberId, workspaceId, input: { ...fresh, takenOver } });
  };
};

type Journals = Awaited<ReturnType<typeof journalsOf>>;

/** Remaining repetitions. */
type Rereading = { times: number };

/** Calls, and their journals, which are read while the calls before them start. */
type Batch = { calls: readonly Resumable[]; journals: Promise<Journals | null> | null };

export const createTakeOver = (options: TakeOverOptions): TakeOver => {
  const { database, sealing, orphanedCalls, callTime, timers, sliceMs, logger } = options;
  const connect = createConnect(options);

  /**
   * Ends a call that cannot be resumed, and hangs up its far ends: the claim has moved its checkpoint to this gateway, so
   * that the clean-up of the former one does not find them.
   */
  const end = (call: TakenCall): void => {
    callTime.release(call.id);
    orphanedCalls.end(call);
    try {
      const legs = openLegs(sealing, call.legs);
      if (legs.length === 0) return;
      options.checkpoints.resume(call.id, legs);
      options.endLegs(legs.map((one) => ({ ...one, callId: call.id })));
    } catch (error) {
      logger.error({ call_id: call.id, err: error }, 'the far ends of a lost call cannot be hung up');
    }
  };

  /** Read once more by itself if the query of its batch has failed. */
  const resumeCall = async (call: Resumable, journals: Journals | null) => {
    try {
      connect(call, journals === null ? await journalOf(database, call.id) : (journals.get(call.id) ?? []));
    } catch (error) {
      logger.error({ call_id: call.id, err: error }, 'a call could not be taken over');
      end(call);
    }
  };

  /**
   * Reads journals, again while the database is unavailable: the calls are claimed already, and no other gateway would
   * continue them. Null if the journals cannot be read together.
   */
  const journalsOfAll = async (calls: readonly Resumable[], left: Rereading): Promise<Journals | null> => {
    const callIds = calls.map(({ id }) => id);
    for (;;) {
      try {
        return await journalsOf(database, callIds);
      } catch (error) {
        logger.debug({ err: error }, 'the journals of several calls could not be read together');
        if (left.times === 0 || !isTransient(error)) return null;
        left.times -= 1;
        await new Promise<void>((resolve) => void timers.setTimeout(resolve, rereading.everyMs));
      }
    }
  };

  const batchFrom = (calls: readonly Resumable[], start: number, left: Rereading): Batch => {
    const some = calls.slice(start, start + batchSize);
    return { calls: some, journals: some.length === 0 ? null : journalsOfAll(some, left) };
  };

  return {
    async resume(calls) {
      for (const call of calls) if (!isResumable(call)) end(call);
      const resumable = calls.filter(isResumable);
      const left = { times: rereading.times };
      let next = batchFrom(resumable, 0, left);
      for (let start = batchSize; next.calls.length > 0; start += batchSize) {
        const batch = next;
        const journals = await batch.journals;
        next = batchFrom(resumable, start, left);
        // Calls that have moved half their audio must not wait for the start of all others. The calls of one slice
        // write their facts in one statement.
        const sliceEnds = timeSlices(sliceMs);
        for (const call of batch.calls) {
          await resumeCall(call, journals);
          await sliceEnds();
        }
      }
    },
  };
};
