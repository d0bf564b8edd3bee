/**
 * An endpoint that moves: when the far end describes, during a call, audio that the current endpoint does not support,
 * the call moves to one that does, including unplayed audio.
 */
import { NothingInCommon } from './direct/negotiation.ts';
import type { MediaEndpoint, SoundEvents } from './media-endpoint.ts';
import type { SampleRate } from '../samples.ts';
import { createMovablePath, type MovablePath } from './movable-path.ts';

/** The successor of a description: same session, and next version if its content differs (RFC 3264 section 8). */
export const following = (last: string, next: string): string => {
  const [, session = '- 0', version = '0'] = /^o=(\S+ \S+) (\d+) /m.exec(last) ?? [];
  const asVersion = (number: number): string =>
    next.replace(/^o=\S+ \S+ \d+ /m, () => `o=${session} ${number} `);
  const same = asVersion(Number(version));
  return same === last ? same : asVersion(Number(version) + 1);
};

/** An endpoint whose descriptions continue the session of another endpoint's. */
export const continuing = (endpoint: MediaEndpoint, last: string): MediaEndpoint => {
  let described = following(last, endpoint.localSdp);
  return {
    ...endpoint,
    localSdp: described,
    async modify(remoteSdp) {
      described = following(described, await endpoint.modify(remoteSdp));
      return described;
    },
  };
};

/** Events of the current endpoint; events of a former one are dropped. */
const createEars = (isCurrent: (endpoint: MediaEndpoint) => boolean) => {
  const onDigit: ((digit: string) => void)[] = [];
  const onLost: ((reason: string | null) => void)[] = [];
  return {
    onDigit: (listener: (digit: string) => void) => void onDigit.push(listener),
    onLost: (listener: (reason: string | null) => void) => void onLost.push(listener),
    listenTo(endpoint: MediaEndpoint): void {
      endpoint.onDigit((digit) => {
        if (isCurrent(endpoint)) for (const listener of onDigit) listener(digit);
      });
      endpoint.onLost((reason) => {
        if (isCurrent(endpoint)) for (const listener of onLost) listener(reason);
      });
    },
    soundOf: (endpoint: MediaEndpoint, events: SoundEvents): SoundEvents => ({
      onAudio(samples) {
        if (isCurrent(endpoint)) events.onAudio(samples);
      },
      onLost() {
        if (isCurrent(endpoint)) events.onLost();
      },
    }),
  };
};

/** `createNext` creates the endpoint for an offer that the first one cannot take. */
export const createMovingEndpoint = (
  first: MediaEndpoint,
  createNext: (offer: string) => Promise<MediaEndpoint>,
): MediaEndpoint => {
  let current = first;
  let described = first.localSdp;
  let sound: { events: SoundEvents; sampleRate: SampleRate; path: MovablePath } | null = null;
  const ears = createEars((endpoint) => endpoint === current);
  ears.listenTo(first);

  const describe = (sdp: string): string => (described = following(described, sdp));

  const move = async (offer: string): Promise<string> => {
    const next = await createNext(offer);
    try {
      const path = sound && (await next.connect(ears.soundOf(next, sound.events), sound.sampleRate));
      current = next;
      ears.listenTo(next);
      if (path !== null) sound?.path.moveTo(path);
    } catch (error) {
      await next.destroy();
      throw error;
    }
    await first.destroy();
    return describe(next.localSdp);
  };

  return {
    ...first,
    channel: () => current.channel(),
    bridgeSide: () => current.bridgeSide(),
    async modify(remoteSdp) {
      try {
        return describe(await current.modify(remoteSdp));
      } catch (error) {
        if (current !== first || !(error instanceof NothingInCommon)) throw error;
        return move(remoteSdp);
      }
    },
    // Before the answer, the call does not move.
    answerEarly: async (remoteSdp) => describe(await current.answerEarly(remoteSdp)),
    takeAnswer: (remoteSdp) => current.takeAnswer(remoteSdp),
    sampleRate: () => current.sampleRate(),
    async connect(events, sampleRate) {
      const path = createMovablePath(await current.connect(ears.soundOf(current, events), sampleRate));
      sound = { events, sampleRate, path };
      return path;
    },
    press: (keys) => current.press(keys),
    hasTelephoneEvents: () => current.hasTelephoneEvents(),
    onDigit: ears.onDigit,
    figures: () => current.figures(),
    onLost: ears.onLost,
    lose: () => current.lose(),
    leave: () => current.leave(),
    destroy: () => current.destroy(),
  };
};
