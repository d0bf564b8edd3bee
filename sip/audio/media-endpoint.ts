/** Interface of an endpoint for the audio of one call, implemented by FreeSWITCH and by the gateway itself. */
import type { MediaStatistics } from '#machines/media-statistics.ts';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import type { AudioPath } from './audio-path.ts';
import type { SampleRate } from './samples.ts';

/** Samples are mono 16-bit linear at the rate given to `connect`. */
export type AudioEvents = {
  /** Audio of the other party, in order. */
  onAudio: (samples: Int16Array) => void;
  /** Audio was lost although `close` was not called. */
  onLost: () => void;
};

/** Thrown when no audio channel or port is free for a call, whatever the offer; a retry may succeed. */
export class NoMediaCapacity extends Error {}

/** Thrown for a session description that this endpoint cannot carry; the session stays as it was. */
export class UnsupportedDescription extends Error {}

/** Reasons of a loss: the media server has ended, or is ending, with all of its channels. */
export const serverGone = 'SERVER_GONE';
const serverStops = 'SYSTEM_SHUTDOWN';

/** Reason of a loss: another gateway has taken the call over, and the endpoint with it. */
export const takenByOther = 'TAKEN_BY_OTHER';

/** Whether the call may continue on another media server after this loss. */
export const isServerLoss = (reason: string | null): boolean =>
  reason === serverGone || reason === serverStops;

/** A media server's channel as one side of a bridge. */
export type BridgeSide = {
  /** Name of the media server. */
  readonly server: string;
  readonly uuid: string;
  /**
   * Ends the audio between the channel and this process; samples sent meanwhile are queued. If it rejects, the state is
   * unchanged.
   */
  detach(): Promise<void>;
  /** Takes the channel out of its bridge and reopens the audio here. If that fails, the endpoint is lost. */
  attach(): Promise<void>;
};

export type MediaEndpoint = {
  /** Channel that another process could take over; `null` if the endpoint ends with this process. */
  channel(): MediaChannel | null;
  /** The endpoint's offer, or its answer to the caller's offer. */
  readonly localSdp: string;
  /**
   * The endpoint as one side of a bridge. `null` if it cannot be bridged: it has no media server, its audio is not
   * connected, or it has no telephone events.
   */
  bridgeSide(): BridgeSide | null;
  /** Takes the other party's offer; resolves with the answer. Rejects with `UnsupportedDescription`. */
  modify(remoteSdp: string): Promise<string>;
  /**
   * Like `modify`, for an offer of a callee that has not answered the call yet (RFC 3311): audio is off in both
   * directions until `takeAnswer`.
   */
  answerEarly(remoteSdp: string): Promise<string>;
  /** Takes the other party's answer to an offer of this endpoint. */
  takeAnswer(remoteSdp: string): Promise<void>;
  /** Sample rate of the last agreed codec. */
  sampleRate(): SampleRate;
  /**
   * Opens the audio of the call in both directions; called once per call. The rate stays constant, even after a codec
   * change. Rejects if the audio cannot be opened.
   */
  connect(events: AudioEvents, sampleRate: SampleRate): Promise<AudioPath>;
  /** Sends DTMF digits as RFC 4733 events; `w` pauses for half a second. Rejects if these were not agreed on. */
  press(digits: string): Promise<void>;
  /** Whether DTMF is sent as RTP events (RFC 4733), according to the last agreement. */
  hasTelephoneEvents(): boolean;
  onDigit(listener: (digit: string) => void): void;
  /** Transport and quality of the audio from its beginning until now; `null` if they are no longer available. */
  statistics(): Promise<MediaStatistics | null>;
  /** Called when the endpoint ended without a local request, or was given up; with the reason, if known. */
  onLost(listener: (reason: string | null) => void): void;
  /** Gives up the endpoint because its carrier no longer responds. */
  lose(): void;
  /** Releases the endpoint in this process only; the channel continues to exist. */
  leave(): Promise<void>;
  destroy(): Promise<void>;
};

/**
 * Wraps an endpoint so that `release` is called when it is destroyed or left, which happens at the end of every call.
 */
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
