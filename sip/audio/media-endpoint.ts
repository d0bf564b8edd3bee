/** Interface of an endpoint for the audio of one call. FreeSWITCH and the gateway itself implement it. */
import type { MediaStatistics } from '#machines/media-statistics.ts';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import type { AudioPath } from './audio-path.ts';
import type { SampleRate } from './samples.ts';

/** Callbacks for audio. Samples are mono 16-bit linear at the rate given to `connect`. */
export type AudioEvents = {
  /** Called with audio of the other party, in order. */
  onAudio: (samples: Int16Array) => void;
  /** Called when audio was lost although `close` was not called. */
  onLost: () => void;
};

/** Thrown when no audio channel or port is free for a call, whatever the offer; a retry may succeed. */
export class NoMediaCapacity extends Error {}

/** Thrown for a session description that this endpoint cannot carry. The session remains unchanged. */
export class UnsupportedDescription extends Error {}

/** Reasons of a loss by which the media server has ended, or is ending, with all of its channels. */
export const serverGone = 'SERVER_GONE';
const serverStops = 'SYSTEM_SHUTDOWN';

/** Reason of a loss by which another gateway has taken over the call and its endpoint. */
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
   * Ends the audio between the channel and this process. Samples sent meanwhile are queued. If the promise rejects, the
   * state is unchanged.
   */
  detach(): Promise<void>;
  /** Takes the channel out of its bridge and reopens the audio in this process. If that fails, the endpoint is lost. */
  attach(): Promise<void>;
};

export type MediaEndpoint = {
  /** Returns the channel that another process could take over; `null` if the endpoint ends with this process. */
  channel(): MediaChannel | null;
  /** The endpoint's offer, or its answer to the caller's offer. */
  readonly localSdp: string;
  /**
   * Returns the endpoint as one side of a bridge. `null` if the endpoint cannot be bridged, because it has no media
   * server, its audio is not connected, or it has no telephone events.
   */
  bridgeSide(): BridgeSide | null;
  /** Applies the other party's offer. Resolves with the answer. Rejects with `UnsupportedDescription`. */
  modify(remoteSdp: string): Promise<string>;
  /**
   * Applies an offer like `modify`, but of a callee that has not answered the call yet (RFC 3311). Audio is off in both
   * directions until `takeAnswer`.
   */
  answerEarly(remoteSdp: string): Promise<string>;
  /** Applies the other party's answer to an offer of this endpoint. */
  takeAnswer(remoteSdp: string): Promise<void>;
  /** Returns the sample rate of the last agreed codec. */
  sampleRate(): SampleRate;
  /**
   * Opens the audio of the call in both directions. Must be called once per call. The rate stays constant, even after a
   * codec change. Rejects if the audio cannot be opened.
   */
  connect(events: AudioEvents, sampleRate: SampleRate): Promise<AudioPath>;
  /**
   * Sends DTMF digits as RFC 4733 events; `w` is a pause of half a second. Rejects if such events were not agreed on.
   */
  press(digits: string): Promise<void>;
  /** Whether DTMF is sent as RTP events (RFC 4733), according to the last agreement. */
  hasTelephoneEvents(): boolean;
  onDigit(listener: (digit: string) => void): void;
  /**
   * Resolves to transport and quality of the audio from its beginning until now; `null` if they are no longer
   * available.
   */
  statistics(): Promise<MediaStatistics | null>;
  /**
   * Subscribes to the loss of the endpoint: the endpoint ended without a local request, or was given up. The listener
   * receives the reason if it is known.
   */
  onLost(listener: (reason: string | null) => void): void;
  /** Gives up the endpoint because its carrier no longer responds. */
  lose(): void;
  /**
   * Releases the endpoint only in this process; the channel continues to exist. If `audioEnds` is given, the endpoint
   * sends silence until that promise resolves or another process has taken over the channel, and resolves then.
   */
  leave(audioEnds?: Promise<void>): Promise<void>;
  destroy(): Promise<void>;
};

/**
 * Wraps an endpoint so that `release` is called when the endpoint is destroyed or left, which happens at the end of
 * every call.
 */
export const releasingWith = <Endpoint extends MediaEndpoint>(
  endpoint: Endpoint,
  release: () => void,
): Endpoint => ({
  ...endpoint,
  leave(audioEnds) {
    release();
    return endpoint.leave(audioEnds);
  },
  destroy() {
    release();
    return endpoint.destroy();
  },
});
