/**
 * Audio of one call at a web phone: microphone frames in, the agent's voice out. The phone buffers a part of the voice
 * and reports with each frame how much it has played. The gateway sends as much as fits into the phone's buffer and
 * needs no timer, so a slow or disconnected phone blocks only itself.
 *
 * A phone that reconnects counts from zero; audio that was in transit to it counts as played.
 */
import { phoneFrameHead, phoneFrameSamples, phoneSampleRate, soundLeadMs } from '#src/domain/web-phone.ts';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { AudioPath } from '#sip/audio/audio-path.ts';
import type { MediaEndpoint, AudioEvents } from '#sip/audio/media-endpoint.ts';

export type PhoneAudioNumbers = Readonly<{
  /** Maximum lead of a phone's audio over real time after a network hiccup. */
  burstMs: number;
  /** Time without a frame after which the audio of the call counts as lost. */
  stallMs: number;
}>;

/** Audio output of a connected web phone. */
export type Speaker = {
  play(frame: Uint8Array): void;
  /** Discards the audio that was not played yet. */
  flush(): void;
};

export type PhoneAudio = {
  readonly endpoint: Pick<MediaEndpoint, 'sampleRate' | 'connect'>;
  /** Processes a frame. Returns the error of an invalid frame. */
  hear(message: Uint8Array): 'invalid_sound' | 'too_much' | undefined;
  /** Processes the response to a flush. Returns the error of an invalid response. */
  flushed(samples: number): 'invalid_sound' | undefined;
  /** Sets the connection to the phone; `null` while the phone is disconnected. */
  connectTo(speaker: Speaker | null): void;
};

const leadSamples = (soundLeadMs * phoneSampleRate) / 1_000;
const messageBytes = phoneFrameHead + phoneFrameSamples * 2;
/** Factor by which a phone's clock may be faster than the gateway's. */
const tolerance = 1.05;

type Waiting = { samples: Int16Array } | { onPlayed: () => void };

/** Counts the samples sent in a connection: played, discarded and in transit. */
const createAccount = () => {
  let sent = 0;
  let played = 0;
  let dropped = 0;
  /** Position up to which sent audio is discarded, even before the phone confirms it. */
  let flushedTo = 0;
  return {
    underWay: (): number => sent - Math.max(flushedTo, played + dropped),
    sent: (samples: number): void => void (sent += samples),
    flush: (): void => void (flushedTo = sent),
    /** Records the number of played samples; returns whether it is possible. */
    played(samples: number): boolean {
      if (samples < played || samples + dropped > sent) return false;
      played = samples;
      return true;
    },
    /** Records further discarded samples; returns whether their number is possible. */
    dropped(samples: number): boolean {
      if (played + dropped + samples > flushedTo) return false;
      dropped += samples;
      return true;
    },
  };
};

/** The agent's voice on its way: queued here, and in transit to the phone. */
const createVoicePath = (isResumed: boolean) => {
  const waiting: Waiting[] = [];
  let account = createAccount();
  let speaker: Speaker | null = null;
  /** Whether the phone has begun to send, which shows that it can play. */
  let isReady = false;
  /** Whether the phone still counts what another gateway had sent. */
  let countsForOther = isResumed;

  const sendFrames = (samples: Int16Array): Int16Array => {
    let rest = samples;
    while (speaker !== null && rest.length > 0 && account.underWay() < leadSamples) {
      const frame = rest.subarray(0, phoneFrameSamples);
      speaker.play(bytesOf(frame));
      account.sent(frame.length);
      rest = rest.subarray(frame.length);
    }
    return rest;
  };

  const goOn = (): void => {
    if (!isReady) return;
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if ('onPlayed' in next) {
        if (account.underWay() > 0) return;
        waiting.shift();
        next.onPlayed();
        continue;
      }
      next.samples = sendFrames(next.samples);
      if (next.samples.length > 0) return;
      waiting.shift();
    }
  };

  const count = (): number =>
    waiting.reduce((sum, one) => sum + ('samples' in one ? one.samples.length : 0), account.underWay());

  const add = (one: Waiting): void => {
    waiting.push(one);
    if (waiting.length === 1) goOn();
  };

  return {
    connectTo(connected: Speaker | null): void {
      speaker = connected;
      isReady = false;
      account = createAccount();
    },
    /** Processes the phone's count of played samples; returns whether the count is possible. */
    played(samples: number): boolean {
      countsForOther &&= samples > 0;
      if (countsForOther) return true;
      if (!account.played(samples)) return false;
      isReady = speaker !== null;
      goOn();
      return true;
    },
    dropped: (samples: number): boolean => account.dropped(samples),
    path: {
      send: (samples: Int16Array) => add({ samples }),
      whenPlayed: (onPlayed: () => void) => add({ onPlayed }),
      waiting: count,
      takeBack(): number {
        const taken = count();
        waiting.length = 0;
        if (account.underWay() > 0) {
          account.flush();
          speaker?.flush();
        }
        return taken;
      },
    },
  };
};

/** Limits how much audio may arrive at once. */
const createAllowance = (burstMs: number, clock: Pick<Clock, 'now'>) => {
  let leftMs = burstMs;
  let at = clock.now();
  return {
    take(milliseconds: number): boolean {
      const now = clock.now();
      leftMs = Math.min(burstMs, leftMs + Math.max(0, now - at) * tolerance);
      at = now;
      if (leftMs < milliseconds) return false;
      leftMs -= milliseconds;
      return true;
    },
  };
};

/** Calls back once when no frame has arrived for `stallMs`. */
const createStallWatch = (stallMs: number, clock: Clock, onStall: () => void) => {
  let lastAt = clock.now();
  const look = (): void => {
    const leftMs = lastAt + stallMs - clock.now();
    if (leftMs <= 0) onStall();
    else timer = clock.setTimeout(look, leftMs);
  };
  let timer = clock.setTimeout(look, stallMs);
  return { came: () => void (lastAt = clock.now()), stop: () => clock.clearTimeout(timer) };
};

/** Whether a binary message has the length of a phone's audio frame. */
export const isAudioFrame = ({ length }: Uint8Array): boolean => length === messageBytes;

const samplesOf = (message: Uint8Array): Int16Array =>
  // The samples are copied, because the message may be unaligned in memory and listeners store it.
  new Int16Array(Uint8Array.from(message.subarray(phoneFrameHead)).buffer);

/** `isResumed`: the phone had the call at another gateway, and starts to count anew when it learns of this one. */
export const createPhoneAudio = (numbers: PhoneAudioNumbers, clock: Clock, isResumed = false): PhoneAudio => {
  const voice = createVoicePath(isResumed);
  const allowance = createAllowance(numbers.burstMs, clock);
  let open: { events: AudioEvents; watch: ReturnType<typeof createStallWatch> } | null = null;

  const close = (): void => {
    open?.watch.stop();
    open = null;
    voice.path.takeBack();
  };

  return {
    endpoint: {
      sampleRate: () => phoneSampleRate,
      async connect(events): Promise<AudioPath> {
        open = { events, watch: createStallWatch(numbers.stallMs, clock, events.onLost) };
        return { ...voice.path, close };
      },
    },
    hear(message) {
      const { buffer, byteOffset } = message;
      if (!voice.played(new DataView(buffer, byteOffset).getUint32(0, true))) return 'invalid_sound';
      open?.watch.came();
      if (!allowance.take((phoneFrameSamples * 1_000) / phoneSampleRate)) return 'too_much';
      open?.events.onAudio(samplesOf(message));
      return undefined;
    },
    flushed: (samples) => (voice.dropped(samples) ? undefined : 'invalid_sound'),
    connectTo: voice.connectTo,
  };
};
