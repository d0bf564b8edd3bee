/**
 * Audio of calls on this gateway for listeners. Audio that is excluded from recordings is excluded here, too: before
 * the other party's consent, during a paused recording, and during secret DTMF digits. If the number requires it, the
 * other party is notified once per call, as soon as the floor is free.
 */
import type { CallFact } from '#machines/facts.ts';
import { listenInAnnouncement, listenInSampleRate, type ListenInState } from '#src/domain/listen-in.ts';
import type { Language } from '#src/domain/language.ts';
import type { CallBus } from '../call-bus.ts';
import type { CallActor, Switchboard } from './switchboard.ts';

/** A receiver of audio. Its callbacks must not throw and must not store `samples`. */
export type WhoListens = {
  /** Whether the other party must be notified first. */
  isAnnounced: boolean;
  onState: (state: ListenInState) => void;
  /** Called with two interleaved channels, the other party's first, at `listenInSampleRate`. */
  onSound: (samples: Int16Array) => void;
};

type WriteSound = (counterparty: Int16Array, agent: Int16Array) => void;

export type Overheard = {
  /**
   * Listens until the call leaves this gateway, when `onOver` is called. Returns `undefined` for a call that does not
   * run here. The returned function stops listening.
   */
  listen(callId: string, who: WhoListens, onOver: () => void): (() => void) | undefined;
  /**
   * Accepts the audio of a call. `isWanted` returns whether a listener is connected; if not, `skip` is called in place
   * of `write`.
   */
  overhear(callId: string): { write: WriteSound; isWanted(): boolean; skip(samples: number): void };
  /** Called when the call has left this gateway. */
  release(callId: string): void;
};

/**
 * Number of samples that stay silent after a pause, because audio that is in transit at the end of the pause was spoken
 * before its end.
 */
const lateSamples = 0.5 * listenInSampleRate;

/**
 * Maximum number of samples of one chunk. A recording gets a long gap as one chunk, which listeners do not need
 * completely.
 */
const longestSamples = listenInSampleRate;

type Listener = WhoListens & { told: ListenInState | undefined };

/** State of a call with present or past listeners. */
type Heard = {
  listeners: Set<Listener>;
  hasSound: boolean;
  /** `coming`: queued, or being said. */
  announcement: 'unsaid' | 'asked' | 'coming' | 'heard';
  /** Number of samples that are still to be silenced. */
  silentFor: number;
};

const isHidden = ({ context }: ReturnType<CallActor['getSnapshot']>): boolean =>
  context.consentIsAwaited || context.recordingIsPaused || context.keys.secret !== null;

const announcementOf = (actor: CallActor): string => {
  const { language } = actor.getSnapshot().context.input;
  const texts: Readonly<Record<string, string>> = listenInAnnouncement;
  return texts[language] ?? listenInAnnouncement[fallback];
};
const fallback: Language = 'en';

const twoChannels = (counterparty: Int16Array, agent: Int16Array): Int16Array => {
  const both = new Int16Array(2 * counterparty.length);
  for (let index = 0; index < counterparty.length; index += 1) {
    both[2 * index] = counterparty[index] ?? 0;
    both[2 * index + 1] = agent[index] ?? 0;
  }
  return both;
};

const stateFor = ({ isAnnounced }: Listener, heard: Heard, actor: CallActor): ListenInState => {
  const snapshot = actor.getSnapshot();
  if (!heard.hasSound) return 'no_sound';
  if (snapshot.context.consentIsAwaited) return 'awaiting_consent';
  if (isAnnounced && heard.announcement !== 'heard') return 'announcing';
  return isHidden(snapshot) ? 'paused' : 'on';
};

/** Requests the notice if the conversation can speak it. */
const announce = (heard: Heard, actor: CallActor): void => {
  if (heard.announcement !== 'unsaid') return;
  if (!actor.getSnapshot().matches({ active: { talking: 'conversing' } })) return;
  heard.announcement = 'asked';
  actor.send({ type: 'say.requested', sentences: [announcementOf(actor)], interrupt: false });
};

/** Notes that the notice was heard to its end. */
const noteSpoken = (heard: Heard, actor: CallActor, fact: CallFact): void => {
  if (fact.type !== 'turn.spoken' || fact.role !== 'assistant') return;
  if (fact.text.includes(announcementOf(actor))) heard.announcement = 'heard';
};

/**
 * Notes where the requested notice is. If nothing is queued or being said any more and the notice was not heard, it was
 * interrupted, perhaps before its first word, and is repeated.
 */
const followNotice = (heard: Heard, actor: CallActor): void => {
  const conversation = actor.getSnapshot().children.conversation?.getSnapshot();
  if (conversation === undefined) return;
  const { asked, unplayed, spoken } = conversation.context;
  const isBusy = asked.length > 0 || unplayed.length > 0 || spoken !== null;
  if (heard.announcement === 'asked' && isBusy) heard.announcement = 'coming';
  else if (heard.announcement === 'coming' && !isBusy) heard.announcement = 'unsaid';
};

export const createOverheard = ({ bus, find }: Pick<Switchboard, 'find'> & { bus: CallBus }): Overheard => {
  const calls = new Map<string, Heard>();

  const callOf = (callId: string): Heard => {
    const known = calls.get(callId);
    if (known !== undefined) return known;
    const heard: Heard = { listeners: new Set(), hasSound: false, announcement: 'unsaid', silentFor: 0 };
    calls.set(callId, heard);
    return heard;
  };

  const look = (callId: string): void => {
    const heard = calls.get(callId);
    const actor = find(callId);
    if (heard === undefined || actor === undefined) return;
    followNotice(heard, actor);
    let isAnnouncing = false;
    for (const listener of heard.listeners) {
      const state = stateFor(listener, heard, actor);
      isAnnouncing ||= state === 'announcing';
      if (state === listener.told) continue;
      listener.told = state;
      listener.onState(state);
    }
    if (isAnnouncing) announce(heard, actor);
  };

  bus.subscribe('fact', ({ callId, fact }) => {
    const heard = calls.get(callId);
    const actor = find(callId);
    if (heard !== undefined && actor !== undefined) noteSpoken(heard, actor, fact);
  });

  return {
    listen(callId, who, onOver) {
      const actor = find(callId);
      if (actor === undefined) return undefined;
      const heard = callOf(callId);
      const listener: Listener = { ...who, told: undefined };
      heard.listeners.add(listener);
      const subscription = actor.subscribe({ next: () => look(callId), complete: onOver, error: onOver });
      look(callId);
      return () => {
        subscription.unsubscribe();
        heard.listeners.delete(listener);
      };
    },
    overhear(callId) {
      const heard = callOf(callId);
      heard.hasSound = true;
      look(callId);
      /** Returns whether this audio must be silent, even for a listener who arrives after it. */
      const pass = (samples: number): boolean => {
        const actor = find(callId);
        if (actor !== undefined && isHidden(actor.getSnapshot())) heard.silentFor = lateSamples;
        const isSilent = heard.silentFor > 0;
        heard.silentFor = Math.max(0, heard.silentFor - samples);
        return isSilent;
      };
      const write: WriteSound = (counterparty, agent) => {
        const isSilent = pass(counterparty.length);
        if (heard.listeners.size === 0 || find(callId) === undefined) return;
        look(callId);
        const both = twoChannels(counterparty, agent).subarray(-2 * longestSamples);
        if (isSilent) both.fill(0);
        for (const { told, onSound } of heard.listeners)
          if (told === 'on' || told === 'paused') onSound(both);
      };
      return { write, isWanted: () => heard.listeners.size > 0, skip: (samples) => void pass(samples) };
    },
    release: (callId) => void calls.delete(callId),
  };
};
