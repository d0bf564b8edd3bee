/**
 * Latencies of calls: the other party's wait for each turn of the agent, stage by stage, and the time until it was known
 * who answered. Combines the line's reports with the progress of replies, and adds the times to the facts.
 *
 * A call has one reply in progress, and the line has reported everything of the previous one when the next one is
 * requested: the first words played after a reply's first sentence belong to that reply.
 */
import type { CallFact, TurnLatency } from '#machines/facts.ts';
import type { LineEvent, OpenLine } from '#machines/line.ts';

export type TurnStage = 'endpointing' | 'first_token' | 'first_sentence' | 'first_audio';

export type Latency = {
  /** Wraps lines to observe their events. */
  watchLine(open: OpenLine): OpenLine;
  /** Observes the requested reply; see `ReplyWatch` of src/agents. */
  replies: {
    asked(callId: string): void;
    firstToken(callId: string): void;
    firstSentence(callId: string): void;
  };
  /** Adds the latency to a turn of the agent and to an answer verdict, if known. */
  withLatency(callId: string, fact: CallFact): CallFact;
  release(callId: string): void;
};

type Reply = { askedAt: number; latency: TurnLatency; soundedAt: number | null };

type CallTimes = {
  /** `null` after a take-over. */
  answeredAt: number | null;
  endpointingMs: number | null;
  reply: Reply | null;
};

export const createLatency = (options: {
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  /** Called as soon as the time of a stage is known, also for a turn that is never heard. */
  observe: (stage: TurnStage, milliseconds: number) => void;
}): Latency => {
  const { now, observe } = options;
  const calls = new Map<string, CallTimes>();

  const timesOf = (callId: string): CallTimes => {
    const times = calls.get(callId) ?? { answeredAt: null, endpointingMs: null, reply: null };
    calls.set(callId, times);
    return times;
  };

  const note = (callId: string, event: LineEvent): void => {
    if (event.type === 'line.answered') timesOf(callId).answeredAt = event.at;
    if (event.type === 'line.heard' && !event.backchannel && event.endedAt !== undefined) {
      const endpointingMs = Math.max(0, event.at - event.endedAt);
      timesOf(callId).endpointingMs = endpointingMs;
      observe('endpointing', endpointingMs);
    }
    if (event.type !== 'line.played' || event.text === '') return;
    const reply = calls.get(callId)?.reply;
    if (!reply || reply.soundedAt !== null || reply.latency.firstSentenceMs === undefined) return;
    reply.soundedAt = event.startedAt;
    reply.latency.firstAudioMs = Math.max(0, event.startedAt - reply.askedAt);
    observe('first_audio', reply.latency.firstAudioMs);
  };

  const noteReply = (callId: string, name: 'firstTokenMs' | 'firstSentenceMs', stage: TurnStage): void => {
    const reply = calls.get(callId)?.reply;
    if (!reply || reply.latency[name] !== undefined) return;
    const milliseconds = Math.max(0, now() - reply.askedAt);
    reply.latency[name] = milliseconds;
    observe(stage, milliseconds);
  };

  return {
    watchLine: (open) => (input, emit) =>
      open(input, (event) => {
        note(input.callId, event);
        emit(event);
      }),
    replies: {
      asked(callId) {
        const times = timesOf(callId);
        const { endpointingMs } = times;
        const latency = endpointingMs === null ? {} : { endpointingMs };
        times.endpointingMs = null;
        times.reply = { askedAt: now(), latency, soundedAt: null };
      },
      firstToken: (callId) => noteReply(callId, 'firstTokenMs', 'first_token'),
      firstSentence: (callId) => noteReply(callId, 'firstSentenceMs', 'first_sentence'),
    },
    withLatency(callId, fact) {
      const times = calls.get(callId);
      if (fact.type === 'call.answered_by' && times !== undefined && times.answeredAt !== null)
        return { ...fact, latency: { answeredByMs: Math.max(0, fact.at - times.answeredAt) } };
      if (fact.type !== 'turn.spoken' || fact.role !== 'assistant' || !times?.reply) return fact;
      const { soundedAt, latency } = times.reply;
      // A greeting or reprompt is not a reply.
      if (soundedAt !== fact.at) return fact;
      times.reply = null;
      return { ...fact, latency };
    },
    release: (callId) => void calls.delete(callId),
  };
};
