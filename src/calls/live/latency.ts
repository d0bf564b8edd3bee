/**
 * Measures latencies of calls: the other party's wait for each turn of the agent, stage by stage, and the time until
 * the answerer was detected. Events of the line are combined with the progress of replies.
 *
 * - A call has one reply in progress. When the next reply is requested, the line has reported everything of the
 *   previous one. Therefore the first report of an utterance after a reply's first sentence is about that sentence.
 * - A wait begins at the end of speech that the reply answers. Greetings, kickoffs, DTMF entries and failed transfers
 *   answer no speech, so their turns have no wait. The other party does not wait either while the agent continues, is
 *   on hold, or while a person is called, so words before that have no wait.
 * - A reply that was cut off before it was heard has no first audio, and its turn does not exist.
 */
import type { CallFact, TurnLatency } from '#machines/facts.ts';
import type { LineEvent, LineEventOf } from '#machines/line.ts';
import type { AgentKind } from '#src/domain/agent-binding.ts';
import type { CallBus, TurnStage } from '../call-bus.ts';

export type Latency = {
  /** Adds the latency, if known, to a turn of the agent or an answer verdict. Other facts are returned unchanged. */
  addTo(callId: string, fact: CallFact): CallFact;
};

type Reply = { askedAt: number; latency: TurnLatency; soundedAt: number | null };

type CallTimes = {
  /** Time of the answer; `null` after a take-over. */
  answeredAt: number | null;
  /** The other party's last words that were not answered yet, if it waits since then. */
  heard: { endpointingMs: number; at: number } | null;
  /** End of the last hold; infinite during a hold. Words that began before have no wait. */
  heldUntil: number;
  reply: Reply | null;
};

export type LatencyOptions = {
  bus: CallBus;
  /** Returns monotonic milliseconds, by the clock of the lines. */
  now: () => number;
  /** Returns the kind of the call's agent, if the call has one. */
  agentOf: (callId: string) => AgentKind | undefined;
};

/** Measures and publishes `measured` as soon as the duration of a stage is known. */
export const createLatency = ({ bus, now, agentOf }: LatencyOptions): Latency => {
  const calls = new Map<string, CallTimes>();

  const observe = (callId: string, stage: TurnStage, milliseconds: number): void =>
    bus.publish('measured', { callId, agent: agentOf(callId) ?? null, stage, milliseconds });

  const timesOf = (callId: string): CallTimes => {
    const times = calls.get(callId) ?? { answeredAt: null, heard: null, heldUntil: 0, reply: null };
    calls.set(callId, times);
    return times;
  };

  const stopWaiting = (callId: string): void => {
    const times = calls.get(callId);
    if (times !== undefined) times.heard = null;
  };

  const noteHeard = (callId: string, event: LineEventOf<'line.heard'>): void => {
    const { at, startedAt, endedAt, backchannel } = event;
    if (backchannel) return;
    const times = timesOf(callId);
    if (endedAt === undefined || startedAt < times.heldUntil) return stopWaiting(callId);
    const endpointingMs = Math.max(0, at - endedAt);
    times.heard = { endpointingMs, at };
    observe(callId, 'endpointing', endpointingMs);
  };

  const noteSound = (callId: string, { askedAt, latency }: Reply, startedAt: number): void => {
    latency.firstAudioMs = Math.max(0, startedAt - askedAt);
    observe(callId, 'first_audio', latency.firstAudioMs);
    const { endpointingMs, queuedMs } = latency;
    if (endpointingMs !== undefined && queuedMs !== undefined)
      observe(callId, 'wait', endpointingMs + queuedMs + latency.firstAudioMs);
  };

  const notePlayed = (callId: string, { text, whole, at, startedAt }: LineEventOf<'line.played'>): void => {
    const times = calls.get(callId);
    if (times === undefined) return;
    // The agent finished what it was saying after these words.
    if (text !== '' && whole && times.heard !== null && at > times.heard.at) times.heard = null;
    const { reply } = times;
    if (reply === null || reply.soundedAt !== null || reply.latency.firstSentenceMs === undefined) return;
    if (text !== '') {
      reply.soundedAt = startedAt;
      noteSound(callId, reply, startedAt);
    } else if (!whole) times.reply = null;
  };

  const note = (callId: string, event: LineEvent): void => {
    if (event.type === 'line.answered') timesOf(callId).answeredAt = event.at;
    if (event.type === 'line.heard') noteHeard(callId, event);
    if (event.type === 'line.held') {
      stopWaiting(callId);
      timesOf(callId).heldUntil = Infinity;
    }
    if (event.type === 'line.resumed') timesOf(callId).heldUntil = event.at;
    if (event.type === 'line.played') notePlayed(callId, event);
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
    const askedAt = now();
    const agent = agentOf(callId);
    const { heard } = times;
    const latency: TurnLatency = {
      ...(agent === undefined ? {} : { agent }),
      ...(heard === null
        ? {}
        : { endpointingMs: heard.endpointingMs, queuedMs: Math.max(0, askedAt - heard.at) }),
    };
    times.heard = null;
    times.reply = { askedAt, latency, soundedAt: null };
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
      if (fact.type.startsWith('call.transfer_')) stopWaiting(callId);
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
