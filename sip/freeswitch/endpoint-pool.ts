/**
 * Endpoints of one media server that are created in advance. With a ready endpoint, a call is answered in a few
 * milliseconds, without waiting for the creation of a channel. A ready endpoint costs more processor time than one that
 * is created with the offer of its call, so used endpoints are replaced only in pauses between calls. Single calls
 * therefore find a ready endpoint, and calls in quick succession do not pay for one.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { packetMsIn } from '#sip/sdp/media-offer.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';

export type PoolNumbers = {
  /** Number of endpoints that are ready. With 0, each endpoint is created when a call needs it. */
  size: number;
  /** Number of endpoints that are created at once, low enough not to delay calls on the servers. */
  atOnce: number;
  /** Time without a call, or since the loss of an endpoint, after which the pool is filled again. */
  refillMs: number;
  /** Age at which a ready endpoint is replaced. */
  longestAgeMs: number;
  /** Delay after a failed creation. */
  retryMs: number;
};

/**
 * Whether an endpoint created in advance can answer this offer. Such an endpoint has already chosen the usual
 * parameters - telephone events as payload type 101, packets of 20 ms, no encryption - and would answer with these to
 * any offer.
 */
export const isUsualOffer = (sdp: string): boolean =>
  /^m=audio \d+ RTP\/AVP([ \d]*)\r?$/m.exec(sdp)?.[1]?.split(' ').includes('101') === true &&
  /^a=rtpmap:101 telephone-event\/8000\r?$/im.test(sdp) &&
  packetMsIn(sdp) === 20 &&
  [...sdp.matchAll(/^m=/gm)].length === 1;

/** Endpoints that are ready for a call, oldest first, each with the timer of its expiry. */
const createReadyEndpoints = (options: {
  longestAgeMs: number;
  onAged: (endpoint: MediaEndpoint) => void;
  /** Called when an endpoint has ended by itself. */
  onLost: () => void;
  clock: Clock;
}) => {
  const { clock, longestAgeMs } = options;
  const timers = new Map<MediaEndpoint, unknown>();

  /** Removes an endpoint. Returns whether it was still in the pool. */
  const remove = (endpoint: MediaEndpoint): boolean => {
    clock.clearTimeout(timers.get(endpoint));
    return timers.delete(endpoint);
  };

  return {
    size: (): number => timers.size,
    add(endpoint: MediaEndpoint): void {
      const age = (): void => {
        if (remove(endpoint)) options.onAged(endpoint);
      };
      endpoint.onLost(() => {
        if (remove(endpoint)) options.onLost();
      });
      timers.set(endpoint, clock.setTimeout(age, longestAgeMs));
    },
    takeOldest(): MediaEndpoint | null {
      const [endpoint] = timers.keys();
      if (endpoint === undefined) return null;
      remove(endpoint);
      return endpoint;
    },
    takeAll: (): MediaEndpoint[] => [...timers.keys()].filter(remove),
  };
};

export type EndpointPoolOptions = {
  /** Creates a fresh endpoint without a remote description. */
  create: () => Promise<MediaEndpoint>;
  numbers: PoolNumbers;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

export const createEndpointPool = (options: EndpointPoolOptions) => {
  const { numbers, clock, backgroundTasks, logger } = options;
  let making = 0;
  let timer: unknown = null;
  /**
   * Identity of the current filling; `null` while the pool is closed. Endpoints begun in an earlier filling are not
   * added to a later one.
   */
  let filling: symbol | null = null;

  const destroy = (endpoint: MediaEndpoint): void =>
    backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());

  const ready = createReadyEndpoints({
    longestAgeMs: numbers.longestAgeMs,
    onAged(endpoint) {
      destroy(endpoint);
      refill();
    },
    onLost() {
      logger.debug('an endpoint of the pool was lost');
      refillIn(numbers.refillMs);
    },
    clock,
  });

  const refillIn = (milliseconds: number): void => {
    if (timer !== null || filling === null) return;
    timer = clock.setTimeout(() => {
      timer = null;
      refill();
    }, milliseconds);
  };

  /** Postpones the refill, because calls in quick succession create their endpoints themselves. */
  const refillAfterCalls = (): void => {
    clock.clearTimeout(timer);
    timer = null;
    refillIn(numbers.refillMs);
  };

  const make = async (): Promise<void> => {
    const begun = filling;
    making += 1;
    try {
      const endpoint = await options.create();
      if (begun === filling) ready.add(endpoint);
      else await endpoint.destroy();
    } catch (error) {
      logger.debug({ err: error }, 'an endpoint could not be created in advance');
      return refillIn(numbers.retryMs);
    } finally {
      making -= 1;
    }
    return refill();
  };

  const refill = (): void => {
    while (
      filling !== null &&
      timer === null &&
      making < numbers.atOnce &&
      ready.size() + making < numbers.size
    )
      backgroundTasks.add('creating an endpoint in advance', make);
  };

  return {
    size: ready.size,
    /** Opens the pool and begins to fill it. */
    open(): void {
      filling ??= Symbol('filling');
      refill();
    },
    /** Returns the oldest ready endpoint; `null` if none is ready. The caller must destroy the endpoint. */
    take(): MediaEndpoint | null {
      const endpoint = ready.takeOldest();
      if (numbers.size > 0) refillAfterCalls();
      return endpoint;
    },
    /** Destroys all endpoints and stops creating new ones until the pool is opened again. */
    empty(): void {
      filling = null;
      clock.clearTimeout(timer);
      timer = null;
      for (const endpoint of ready.takeAll()) destroy(endpoint);
    },
  };
};

export type EndpointPool = ReturnType<typeof createEndpointPool>;
