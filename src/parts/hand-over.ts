/** Hands over calls in progress when this gateway stops: chooses the successor and reports it. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import { closing } from '#config/policy.ts';
import {
  beginHandOver,
  type HandOver,
  type Successors,
  type StandingCall,
} from '#src/continuity/hand-over.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { Runtime } from './runtime.ts';
import type { Calls } from './calls.ts';
import { sharedLines, type Cluster } from './cluster.ts';
import type { CallJournal } from './journal.ts';
import type { Telephony } from './telephony.ts';

/** `null`: no successor; calls are waited for. `because` is the middle of a sentence. */
export type Succession = { successors: Successors | null; because: string };

type Others = Awaited<ReturnType<Cluster['others']>>;

/** Asks the live gateways; a frozen one does not answer. */
const answering = async (takers: readonly string[], { giveCalls }: Pick<Cluster, 'giveCalls'>) => {
  const asked = await Promise.allSettled(takers.map((node) => giveCalls(node, [])));
  return takers.filter((_, index) => {
    const answer = asked[index];
    return answer?.status === 'fulfilled' && answer.value;
  });
};

export const chooseSuccessors = async (
  config: Pick<Config, 'handsOver' | 'lines' | 'realLines'>,
  cluster: Pick<Cluster, 'giveCalls'> & { others: () => Promise<Others> },
): Promise<Succession> => {
  const nobody = (because: string): Succession => ({ successors: null, because });
  if (!config.handsOver) return nobody('as GW_HAND_OVER=never says');
  if (sharedLines(config) === null) return nobody('as without the relay no other gateway hears of them');
  let others: Others;
  try {
    others = await cluster.others();
  } catch {
    return nobody('as the database is away');
  }
  const nodes = await answering(others.takers, cluster);
  if (nodes.length > 0)
    return {
      successors: { are: 'others', nodes },
      because: `go on at ${nodes.join(', ')}, each when nobody speaks`,
    };
  if (others.takers.length > 0) return nobody('as the other gateways do not answer');
  // A gateway without lines would end the calls that it cannot resume.
  if (others.living.length > 0)
    return nobody('as the other gateways are older, or have other lines, and could not go on with them');
  if (config.realLines !== null)
    return { successors: { are: 'next process' }, because: 'go on in the next process of this gateway' };
  return nobody('as no other gateway is there');
};

/** Logs what the gateway waits for, for the person who stopped it. */
const say = (logger: Logger, calls: number, upToSec: number, { successors, because }: Succession): void => {
  const whom = calls === 1 ? 'one call' : `${calls} calls`;
  const about = { calls, up_to_sec: upToSec };
  if (successors === null)
    logger.info(about, `waiting for ${whom}, up to ${upToSec} s, ${because}; ask again to hang up now`);
  else logger.info(about, `${whom} ${because}; waiting up to ${upToSec} s for this, ask again to do it now`);
};

const standingCalls = ({
  switchboard,
  canBeResumed,
}: Pick<Calls, 'switchboard' | 'canBeResumed'>): StandingCall[] =>
  [...switchboard.calls()].flatMap(([callId, actor]) => {
    const call = actor.getSnapshot();
    // A call that is already ending ends here.
    const isTalking = call.hasTag('talking') || call.matches({ active: 'bridged' });
    const isStanding = isTalking && canBeResumed(callId);
    return isStanding ? [{ callId, isQuiet: !call.context.agentIsBusy }] : [];
  });

export type StartedHandOver = {
  /** Decides, reports and begins the hand-over. Never rejects. */
  begin(): Promise<void>;
  /** See `HandOver`; no effect if no hand-over was begun. */
  finish: HandOver['finish'];
};

export const startHandOver = (
  { config, clock, logger }: Pick<Runtime, 'config' | 'clock' | 'logger'>,
  parts: {
    cluster: Pick<Cluster, 'giveCalls' | 'others' | 'takes'>;
    calls: Pick<Calls, 'switchboard' | 'canBeResumed'>;
    liveCalls: { count: { get(): number } };
    journalling: Pick<CallJournal, 'journal' | 'progress'>;
    telephony: Pick<Telephony, 'legsWritten'>;
    recordings: Pick<Recordings, 'leave'>;
  },
): StartedHandOver => {
  const { cluster, calls, liveCalls, telephony, recordings } = parts;
  const { journal, progress } = parts.journalling;
  let begun: HandOver | null = null;

  const letGo = async (callIds: readonly string[]): Promise<void> => {
    const recorded = callIds.map((callId) => recordings.leave(callId));
    for (const callId of callIds) {
      progress.leave(callId);
      calls.switchboard.leave(callId);
    }
    const written = Promise.all([
      ...recorded,
      ...callIds.map((callId) => journal.letGo(callId)),
      progress.written(),
      telephony.legsWritten(),
    ]);
    const isWritten = await doneWithin(clock, closing.handOverWriteMs, written);
    if (!isWritten)
      logger.warn({ calls: callIds.length }, 'checkpoints of released calls were not written in time');
  };

  return {
    async begin() {
      const count = liveCalls.count.get();
      try {
        await cluster.takes(false);
      } catch (error) {
        logger.warn({ err: error }, 'other gateways do not hear that this one ends');
      }
      if (count === 0) return;
      const succession = await chooseSuccessors(config, cluster);
      say(logger, count, config.drainSec, succession);
      if (succession.successors === null) return;
      begun = beginHandOver(succession.successors, {
        count: () => liveCalls.count.get(),
        standing: () => standingCalls(calls),
        letGo,
        give: cluster.giveCalls,
        numbers: closing.handOver,
        clock,
        logger,
      });
    },
    async finish() {
      await begun?.finish();
    },
  };
};
