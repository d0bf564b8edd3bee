/**
 * The endpoint that carries the sound of a call, whoever provides it: one place a call, where its sound goes in and
 * out.
 */
import type { SoundFigures } from '#machines/sound-figures.ts';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import type { SampleRate } from '../samples.ts';

/** Samples are mono 16-bit linear at the rate that the sound was opened with. */
export type SoundEvents = {
  /** What the other party's side sounds like, in its order. */
  onAudio: (samples: Int16Array) => void;
  /** No sound is carried any more although `close` was not called. */
  onLost: () => void;
};

/** The way of the agent's voice to the other party, once it is open. */
export type SoundPath = {
  /** To be played after what was sent before. */
  send(samples: Int16Array): void;
  /** Calls back once all that was sent before has been played; never when any of it was taken back. */
  whenPlayed(callback: () => void): void;
  /** How many samples were sent and not played yet. */
  waiting(): number;
  /** Takes back what was not played yet, and says how many samples that were. */
  takeBack(): number;
  close(): void;
};

/** No place for a call can be had now, whatever was offered: who asks may come again. */
export class NoPlace extends Error {}

/** A channel of a media server, as a side of a bridge. */
export type BridgeSide = {
  /** The media server, by its name. */
  readonly server: string;
  readonly uuid: string;
  /**
   * Ends the audio between the channel and this process; what is sent meanwhile waits. Rejects where that does not succeed,
   * and all is as before then.
   */
  detach(): Promise<void>;
  /** Takes the channel out of its bridge and opens the audio here again. Where that fails the endpoint is lost. */
  attach(): Promise<void>;
};

export type MediaEndpoint = {
  /** Where it lives on without this process, by now; `null` where it ends with it. */
  channel(): MediaChannel | null;
  /** Its offer, or its answer to the caller's offer. */
  readonly localSdp: string;
  /** `null` where it cannot be bridged: no media server carries it, its audio is not connected, or it has no telephone events. */
  bridgeSide(): BridgeSide | null;
  /** Takes the other party's offer in; resolves with its own answer. */
  modify(remoteSdp: string): Promise<string>;
  /**
   * As `modify`, for an offer of a callee that has not answered the call yet (RFC 3311): no sound goes either way until
   * `takeAnswer`.
   */
  answerEarly(remoteSdp: string): Promise<string>;
  /** Takes the other party's answer to an offer of this endpoint in. */
  takeAnswer(remoteSdp: string): Promise<void>;
  /** Of the codec that was agreed on last. */
  sampleRate(): SampleRate;
  /**
   * Opens the sound of the call, both ways; once a call. It has this rate for as long as the call stands, also where
   * another codec is agreed on. Rejects when it does not come about.
   */
  connect(events: SoundEvents, sampleRate: SampleRate): Promise<SoundPath>;
  /** Sends keys as RFC 4733 events; `w` pauses for half a second. Rejects where those were not agreed on. */
  press(keys: string): Promise<void>;
  /** Whether DTMF goes as events of RTP (RFC 4733), as it was agreed on last. */
  hasTelephoneEvents(): boolean;
  onDigit(listener: (digit: string) => void): void;
  /** How the sound is carried and how well, from its beginning until now; `null` where nobody can say any more. */
  figures(): Promise<SoundFigures | null>;
  /** The endpoint has ended, or is given up, although nobody here ended it; with the reason, where there is one. */
  onLost(listener: (reason: string | null) => void): void;
  /** What carries it does not answer any more: as if it had ended. */
  lose(): void;
  /** This process lets go of it; where it has a channel, that stands. */
  leave(): Promise<void>;
  destroy(): Promise<void>;
};

/** The same endpoint; when it is destroyed or left, which every call does in the end, `release` is called too. */
export const releasingWith = (endpoint: MediaEndpoint, release: () => void): MediaEndpoint => ({
  ...endpoint,
  leave() {
    release();
    return endpoint.leave();
  },
  destroy() {
    release();
    return endpoint.destroy();
  },
});
