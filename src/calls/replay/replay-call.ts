/**
 * A finished call once more: its journal fed through the same charts, step by step, on a clock of its own. The charts
 * decide everything anew; the line and the replies behind them are only told about.
 */
import { createActor, SimulatedClock } from 'xstate';
import type { callMachine } from '#machines/call.ts';
import type { CallInput } from '#machines/call-context.ts';
import type { EndReason } from '#machines/outcome.ts';
import type { CallEvent } from '#src/persistence/call-events.ts';
import { createChartWatch, type ChartState } from '../chart-watch.ts';
import { cuesOf, type Cue } from './cues.ts';

export type RecordedCall = {
  id: string;
  direction: 'inbound' | 'outbound';
  startedAt: Date;
  endReason: EndReason | null;
  maxDurationSec: number;
  recordingEnabled: boolean;
  facts: readonly CallEvent[];
};

export type ReplayStep = ChartState & {
  /** Wall-clock milliseconds since the epoch. */
  at: number;
  /** What moved the charts; `(time)` for a time that was up, `(begin)` for the first state. */
  event: string;
  /** The sequence of the fact that tells of it; null for a time that was up. */
  fact: number | null;
};

/** A silence that was never broken: the charts wait as long as they did in the call itself. */
const neverSec = 24 * 3_600;

/**
 * How long nobody spoke before the agent asked again, as far as the turns tell: a turn of the agent that follows
 * nothing but a turn of its own was such a question.
 */
const silenceOf = (facts: readonly CallEvent[]): number => {
  const gaps: number[] = [];
  let lastEnd: number | null = null;
  for (const fact of facts) {
    if (fact.type === 'reply.failed') lastEnd = null;
    if (fact.type !== 'turn.spoken') continue;
    if (fact.role === 'assistant' && lastEnd !== null) gaps.push(fact.at.getTime() - lastEnd);
    const { endedAt } = fact.data;
    lastEnd = fact.role === 'assistant' && typeof endedAt === 'number' ? endedAt : null;
  }
  const longest = Math.max(0, ...gaps);
  // The question was asked a moment before it was heard.
  return longest < 1_000 ? neverSec : (longest - 500) / 1_000;
};

const voicemailOf = ({ endReason, facts }: RecordedCall): CallInput['voicemail'] => {
  const told = facts.findIndex(({ type, data }) => type === 'call.answered_by' && data['by'] === 'machine');
  const wasAsked = facts.some(({ type }) => type === 'call.hangup_requested');
  if (told === -1 || wasAsked || endReason !== 'agent_hangup') return 'talk';
  return facts.slice(told).some(({ type, role }) => type === 'turn.spoken' && role === 'assistant')
    ? 'leave_message'
    : 'hang_up';
};

const inputOf = (call: RecordedCall, times: ReplayTimes): CallInput => {
  const [firstTurn] = call.facts.filter(({ type }) => type === 'turn.spoken');
  const isGreeted = call.direction === 'inbound' && firstTurn?.role === 'assistant';
  return {
    ...times,
    callId: call.id,
    direction: call.direction,
    from: '',
    to: '',
    language: '',
    speech: { recognizer: null, synthesizer: null, voice: null },
    recording: call.recordingEnabled,
    ringTimeoutSec: neverSec,
    maxDurationSec: call.maxDurationSec,
    silenceTimeoutSec: silenceOf(call.facts),
    kickoff: call.direction === 'outbound' ? '' : null,
    greeting: isGreeted ? (firstTurn.text ?? '') : null,
    apology: '',
    brokenOff: '',
    failedOpening: '',
    failedGoodbye: '',
    reprompt: '',
    voicemail: voicemailOf(call),
    voicemailMessage: '',
  };
};

export type ReplayTimes = { farewellWaitMs: number; hangUpTimeoutMs: number };

export type ReplayCall = (call: RecordedCall) => ReplayStep[];

/** `machine` has charts of which nothing comes: a line that is silent, replies that never end, facts that go nowhere. */
export const createReplay =
  (machine: typeof callMachine, times: ReplayTimes): ReplayCall =>
  (call) => {
    const clock = new SimulatedClock();
    const begun = call.startedAt.getTime();
    const actor = createActor(machine, { input: inputOf(call, times), clock });
    const steps: ReplayStep[] = [];
    let current: Pick<ReplayStep, 'at' | 'event' | 'fact'> = { at: begun, event: '(begin)', fact: null };

    actor.start();
    const end = createChartWatch({ find: () => actor })(call.id, (state) =>
      steps.push({ ...current, ...state }),
    );

    const passUntil = (at: number): void => {
      // Timers that are up on the way are told with their own time.
      while (begun + clock.now() < at) {
        const next = Math.min(at, begun + clock.now() + 100);
        current = { at: next, event: '(time)', fact: null };
        clock.set(next - begun);
      }
    };

    const tell = ({ at, fact }: Cue, event: Parameters<typeof actor.send>[0]): void => {
      const before = steps.length;
      current = { at, event: event.type, fact };
      actor.send(event);
      const last = steps.at(-1);
      if (steps.length === before && last !== undefined) steps.push({ ...last, ...current });
    };

    const tellConversation = (
      { at, fact }: Cue,
      event: { type: 'reply.sentence'; text: string } | { type: 'reply.finished' },
    ): void => {
      current = { at, event: event.type, fact };
      actor.getSnapshot().children.conversation?.send(event);
    };

    const isConversationIn = (state: string): boolean =>
      steps.at(-1)?.conversation?.startsWith(state) ?? false;

    const unplayed = (): number =>
      actor.getSnapshot().children.conversation?.getSnapshot().context.unplayed ?? 0;

    const finish = (cue: Cue): void => {
      const { at } = cue;
      const reason = call.endReason ?? 'system_error';
      const state = (): string => steps.at(-1)?.call ?? '';
      if (state().startsWith('ringing')) {
        if (reason === 'cancelled') tell(cue, { type: 'cancel.requested' });
        else if (!isUnanswered(reason)) tell(cue, { type: 'gateway.closing' });
        return tell(cue, {
          type: 'line.unanswered',
          at,
          cause: isUnanswered(reason) ? reason : 'cancelled',
        });
      }
      if (actor.getSnapshot().hasTag('talking')) {
        if (reason === 'media_error') tell(cue, { type: 'line.failed', at });
        else if (reason === 'agent_error') tell(cue, { type: 'agent.failed' });
        else if (reason === 'silence_timeout') tell(cue, { type: 'silence.lasted' });
        else if (reason === 'system_error') tell(cue, { type: 'gateway.closing' });
        else if (reason === 'agent_hangup') tell(cue, { type: 'hangup.requested', immediate: true });
      }
      if (state().startsWith('active'))
        tell(cue, {
          type: 'line.ended',
          at,
          by: reason === 'counterparty_hangup' ? 'counterparty' : 'gateway',
        });
    };

    const play = (cue: Cue): void => {
      switch (cue.kind) {
        case 'event':
          return tell(cue, cue.event);
        case 'agent begins':
          if (isConversationIn('replying')) tellConversation(cue, { type: 'reply.sentence', text: cue.text });
          return undefined;
        case 'agent ends': {
          // Times of two sources: the first sound of a reply may lie before the last of what it answers.
          if (isConversationIn('replying.thinking'))
            tellConversation(cue, { type: 'reply.sentence', text: cue.text });
          if (isConversationIn('replying.speaking')) tellConversation(cue, { type: 'reply.finished' });
          const { at, startedAt, text, whole } = cue;
          // The words of a turn are one in the journal, also where they were several utterances.
          for (let more = unplayed() - 1; more > 0; more -= 1)
            tell(cue, { type: 'line.played', at, startedAt, utterance: 0, text: '', whole: true });
          return tell(cue, { type: 'line.played', at, startedAt, utterance: 0, text, whole });
        }
        case 'reply fails':
          // The first words were queued before, and may have been heard only later.
          if (cue.begun && isConversationIn('replying.thinking'))
            tellConversation(cue, { type: 'reply.sentence', text: '' });
          current = { at: cue.at, event: 'reply.failed', fact: cue.fact };
          actor
            .getSnapshot()
            .children.conversation?.send({ type: 'reply.failed', failure: 'connection_failed' });
          return undefined;
        case 'over':
          return finish(cue);
      }
    };

    for (const cue of cuesOf(call.facts)) {
      passUntil(cue.at);
      if (actor.getSnapshot().status !== 'active') break;
      play(cue);
    }
    end?.();
    actor.stop();
    return steps;
  };

type Unanswered = 'no_answer' | 'busy' | 'declined' | 'invalid_number' | 'trunk_error' | 'media_error';

const isUnanswered = (reason: EndReason): reason is Unanswered =>
  ['no_answer', 'busy', 'declined', 'invalid_number', 'trunk_error', 'media_error'].includes(reason);
