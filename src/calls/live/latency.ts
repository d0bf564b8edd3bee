/**
 * The other party's wait for the agent, stage by stage. The line knows when something was heard, the reply when it was
 * asked for and what came when; here both meet, per call, and what belongs to a turn is added to its fact.
 *
 * Only one reply is under way in a call, and whatever was left of the one before has been reported by the line when the
 * next one is asked for: so the first words that are heard after a reply's first sentence are that reply's.
 */
import type { CallFact, TurnLatency } from '#machines/facts.ts';
import type { LineEvent, OpenLine } from '#machines/line.ts';

export type TurnStage = 'endpointing' | 'first_token' | 'first_sentence' | 'first_audio';

export type Latency = {
  /** Opens lines that are listened to on the way. */
  watchLine(open: OpenLine): OpenLine;
  /** What happens to the reply that is asked for; see `ReplyWatch` of src/agents. */
  replies: {
    asked(callId: string): void;
    firstToken(callId: string): void;
    firstSentence(callId: string): void;
  };
  /** The fact with the latency of its turn, where it is a turn of the agent and something is known of it. */
  withLatency(callId: string, fact: CallFact): CallFact;
  release(callId: string): void;
};

type Reply = { askedAt: number; latency: TurnLatency; soundedAt: number | null };

type TurnInProgress = { endpointingMs: number | null; reply: Reply | null };

export const createLatency = (options: {
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  /** Called as soon as the time of a stage is known, also for a turn that is never heard. */
  observe: (stage: TurnStage, milliseconds: number) => void;
}): Latency => {
  const { now, observe } = options;
  const calls = new Map<string, TurnInProgress>();

  const timesOf = (callId: string): TurnInProgress => {
    const times = calls.get(callId) ?? { endpointingMs: null, reply: null };
    calls.set(callId, times);
    return times;
  };

  const note = (callId: string, event: LineEvent): void => {
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
        calls.set(callId, { endpointingMs: null, reply: { askedAt: now(), latency, soundedAt: null } });
      },
      firstToken: (callId) => noteReply(callId, 'firstTokenMs', 'first_token'),
      firstSentence: (callId) => noteReply(callId, 'firstSentenceMs', 'first_sentence'),
    },
    withLatency(callId, fact) {
      const times = calls.get(callId);
      if (fact.type !== 'turn.spoken' || fact.role !== 'assistant' || !times?.reply) return fact;
      const { soundedAt, latency } = times.reply;
      // A greeting or a reprompt is no reply.
      if (soundedAt !== fact.at) return fact;
      times.reply = null;
      return { ...fact, latency };
    },
    release: (callId) => void calls.delete(callId),
  };
};
