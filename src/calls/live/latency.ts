/**
 * Measures latencies of calls: the other party's wait for each turn of the agent, stage by stage, and the time until
 * the answerer was detected. Events of the line are combined with the progress of replies.
 *
 * A call has one reply in progress. When the next reply is requested, the line has reported everything of the previous
 * one. Therefore the first words played after a reply's first sentence belong to that reply.
 */
import type { CallFact, TurnLatency } from '#machines/facts.ts';
import type { LineEvent } from '#machines/line.ts';
import type { CallBus, TurnStage } from '../call-bus.ts';

export type Latency = {
  /** Adds the latency, if known, to a turn of the agent or an answer verdict. Other facts are returned unchanged. */
  addTo(callId: string, fact: CallFact): CallFact;
};

type Reply = { askedAt: number; latency: TurnLatency; soundedAt: number | null };

type CallTimes = {
  /** Time of the answer; `null` after a take-over. */
  answeredAt: number | null;
  endpointingMs: number | null;
  reply: Reply | null;
};

/**
 * Measures and publishes `measured` as soon as the duration of a stage is known. `now` returns monotonic milliseconds.
 */
export const createLatency = ({ bus, now }: { bus: CallBus; now: () => number }): Latency => {
  const calls = new Map<string, CallTimes>();

  const observe = (callId: string, stage: TurnStage, milliseconds: number): void =>
    bus.publish('measured', { callId, stage, milliseconds });

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
      observe(callId, 'endpointing', endpointingMs);
    }
    if (event.type !== 'line.played' || event.text === '') return;
    const reply = calls.get(callId)?.reply;
    if (!reply || reply.soundedAt !== null || reply.latency.firstSentenceMs === undefined) return;
    reply.soundedAt = event.startedAt;
    reply.latency.firstAudioMs = Math.max(0, event.startedAt - reply.askedAt);
    observe(callId, 'first_audio', reply.latency.firstAudioMs);
  };

  const noteReply = (callId: string, name: 'firstTokenMs' | 'firstSentenceMs', stage: TurnStage): void => {
    const reply = calls.get(callId)?.reply;
    if (!reply || reply.latency[name] !== undefined) return;
    const milliseconds = Math.max(0, now() - reply.askedAt);
    reply.latency[name] = milliseconds;
    observe(callId, stage, milliseconds);
  };

  const beginReply = (callId: string): void => {
    const times = timesOf(callId);
    const { endpointingMs } = times;
    const latency = endpointingMs === null ? {} : { endpointingMs };
    times.endpointingMs = null;
    times.reply = { askedAt: now(), latency, soundedAt: null };
  };

  bus.subscribe('line', ({ callId, event }) => note(callId, event));
  bus.subscribe('reply', ({ callId, stage }) => {
    if (stage === 'asked') beginReply(callId);
    else noteReply(callId, stage === 'first_token' ? 'firstTokenMs' : 'firstSentenceMs', stage);
  });
  bus.subscribe('released', ({ callId }) => void calls.delete(callId));

  return {
    addTo(callId, fact) {
      const times = calls.get(callId);
      if (fact.type === 'call.answered_by' && times !== undefined && times.answeredAt !== null)
        return { ...fact, latency: { answeredByMs: Math.max(0, fact.at - times.answeredAt) } };
      if (fact.type !== 'turn.spoken' || fact.role !== 'assistant' || !times?.reply) return fact;
      const { soundedAt, latency } = times.reply;
      // A greeting or a reprompt is not a reply, so its latency is not measured.
      if (soundedAt !== fact.at) return fact;
      times.reply = null;
      return { ...fact, latency };
    },
  };
};
