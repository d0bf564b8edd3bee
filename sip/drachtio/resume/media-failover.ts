/**
 * Continues calls whose media server died: a re-INVITE moves their audio to another media server. Dialog, recording and
 * recognition remain, and the agent's current words continue on the new channel. A call that cannot move, because there
 * is no other server or its far end refuses, has lost its audio.
 *
 * The audio moves only to another server of the same carrier (`carriers.ts`); a call never changes its carrier.
 */
import type { Logger } from 'pino';
import type { Standing } from '#src/domain/sip-leg.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { createAudioPath, type AudioPath, type CarriedAudioPath } from '#sip/audio/audio-path.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { isServerLoss, type AudioEvents, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import type { SampleRate } from '#sip/audio/samples.ts';
import { holdRequests, isByeWaiting } from '../dialog/held-requests.ts';
import type { SessionEndpoint } from '../dialog/negotiate.ts';
import type { PendingLeg, Connection, OnMoved } from '../leg.ts';
import { moveMedia, type Moved, type MoveOptions } from './move-media.ts';

/** Maximum of calls that move at the same time: moving all calls of a dead server at once would overload the others. */
const mostMoving = 16;

export type FailoverOptions = Pick<MoveOptions, 'carriers' | 'clock' | 'backgroundTasks'>;

type Call = { callId: string; logger: Pick<Logger, 'warn'> };

/** Runs at most this many works at once; the others wait in order. */
const createTurns = (most: number) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};

/**
 * Presents the audio path of one endpoint as a ring of the call's path, which takes back unplayed samples when the
 * endpoint is lost.
 */
const ringOn = (path: AudioPath): Parameters<CarriedAudioPath['connect']>[0] => ({
  write(samples) {
    path.send(samples);
    return samples.length;
  },
  get waiting() {
    return path.waiting();
  },
  takeBack: path.takeBack,
});

/** The call keeps its channel on its trunk. */
const keptPlace: MoveOptions['limits'] = { goOn: () => ({ release() {} }) };

type Opened = { events: AudioEvents; rate: SampleRate; path: CarriedAudioPath; onServer: AudioPath };

const standingOf = ({ trackedLeg }: Connection): Standing => {
  const standing = trackedLeg.standing();
  if (standing === null) throw new Error('The call is not established any more');
  return standing;
};

export const createMediaFailover = (options: FailoverOptions) => {
  const { clock, backgroundTasks } = options;
  const inTurn = createTurns(mostMoving);

  /** The connection with an endpoint that survives the loss of its media server. */
  const surviving = (connection: Connection, { callId, logger }: Call): Connection => {
    const original = connection.endpoint;
    if (original.channel() === null) return connection;
    const { dialog, trackedLeg } = connection;
    const trunk: Trunk = { ...connection.trunk, media: 'freeswitch' };
    let state: 'up' | 'moving' | 'lost' | 'left' | 'destroyed' = 'up';
    let endpoint = original;
    let audio: Opened | null = null;
    /** Resolves when the current move has ended. */
    let moving: Promise<void> = Promise.resolve();
    /** Rejects when the current endpoint is lost; the catch avoids an unhandled rejection. */
    let broken = Promise.withResolvers<never>();
    broken.promise.catch(() => {});
    const digitListeners: ((digit: string) => void)[] = [];
    const lossListeners: ((reason: string | null) => void)[] = [];
    const moveListeners: OnMoved[] = [];

    const lose = (reason: string | null): void => {
      state = 'lost';
      for (const listener of lossListeners) listener(reason);
    };

    const listenTo = (current: MediaEndpoint): void => {
      current.onDigit((digit) => {
        if (current === endpoint) for (const listener of digitListeners) listener(digit);
      });
      current.onLost((reason) => {
        if (current !== endpoint || state !== 'up') return;
        if (isServerLoss(reason)) beginMove(reason);
        else lose(reason);
      });
    };

    const destroyLater = (unused: MediaEndpoint): void =>
      backgroundTasks.add('destroying an endpoint', () => unused.destroy());

    /** Continues on the new endpoint, unless the call has ended meanwhile. */
    const take = async ({ endpoint: next, timer }: Moved): Promise<void> => {
      if (state !== 'moving') return destroyLater(next);
      const last = endpoint;
      endpoint = next;
      broken = Promise.withResolvers<never>();
      broken.promise.catch(() => {});
      listenTo(next);
      // The original endpoint holds the call's channel on the trunk, and is destroyed with the call.
      if (last !== original) destroyLater(last);
      const { weRefresh, expiresSec } = timer;
      const { sdp: localSdp } = dialog.local;
      const { sdp: remoteSdp } = dialog.remote;
      trackedLeg.agreed({ weRefresh, expiresSec, localSdp, remoteSdp }, next.channel());
      audio?.onServer.close();
      if (audio !== null) {
        const onServer = await next.connect(audio.events, audio.rate);
        if (audio === null) return onServer.close();
        audio = { ...audio, onServer };
        audio.path.connect(ringOn(onServer), audio.rate);
      }
      if (state !== 'moving') return undefined;
      state = 'up';
      for (const listener of moveListeners) listener({ weRefresh, expiresSec });
    };

    const move = async (reason: string | null): Promise<void> => {
      const begunAt = clock.now();
      // Holds requests of the far end, so that they apply to the new session.
      holdRequests(dialog, true);
      try {
        const to = { ...options, callId, limits: keptPlace, formerSends: false };
        await take(await inTurn(() => moveMedia(dialog, standingOf(connection), trunk, to)));
        const server = endpoint.channel()?.server;
        logger.warn(
          { media_server: server, ms: clock.now() - begunAt },
          'a call moved to another media server',
        );
      } catch (error) {
        logger.warn({ err: error }, 'a call could not move to another media server');
        if (state === 'moving') {
          // A held BYE ends the call as soon as it is released.
          if (isByeWaiting(dialog)) state = 'lost';
          else lose(reason);
        }
      } finally {
        if (state !== 'left') holdRequests(dialog, false);
      }
    };

    const beginMove = (reason: string | null): void => {
      state = 'moving';
      broken.reject(new Error('The media server is gone'));
      audio?.path.disconnect();
      moving = move(reason);
      backgroundTasks.add('moving a call to another media server', () => moving);
    };

    /** Aborts work on an endpoint that is lost meanwhile. */
    const unlessLost = <Result>(work: Promise<Result>): Promise<Result> =>
      Promise.race([work, broken.promise]);

    /** Opens the audio of the endpoint, or of the next one if it is lost meanwhile. */
    const open = async (events: AudioEvents, rate: SampleRate): Promise<AudioPath> => {
      for (;;) {
        const current = endpoint;
        const opening = current.connect(events, rate);
        try {
          const onServer = await unlessLost(opening);
          if (current === endpoint && state === 'up') return onServer;
          onServer.close();
        } catch (error) {
          opening.then((late) => late.close()).catch(() => {});
          if (current === endpoint && state !== 'moving') throw error;
        }
        await moving;
        if (state !== 'up') throw new Error('The media server of the call is gone');
      }
    };

    listenTo(original);
    const outliving: SessionEndpoint = {
      localSdp: original.localSdp,
      channel: () => endpoint.channel(),
      bridgeSide: () => (state === 'up' ? endpoint.bridgeSide() : null),
      modify: (remoteSdp) => unlessLost(endpoint.modify(remoteSdp)),
      answerEarly: (remoteSdp) => unlessLost(endpoint.answerEarly(remoteSdp)),
      nextOffer: (last) => endpoint.nextOffer(last),
      takeAnswer: (remoteSdp) => unlessLost(endpoint.takeAnswer(remoteSdp)),
      sampleRate: () => endpoint.sampleRate(),
      async connect(events, rate) {
        const onServer = await open(events, rate);
        const path = createAudioPath(rate, createLineTime(clock, 1));
        audio = { events, rate, path, onServer };
        path.connect(ringOn(onServer), rate);
        return {
          ...path,
          close() {
            path.close();
            audio?.onServer.close();
            audio = null;
          },
        };
      },
      press: (digits) => endpoint.press(digits),
      hasTelephoneEvents: () => endpoint.hasTelephoneEvents(),
      onDigit: (listener) => void digitListeners.push(listener),
      statistics: () => endpoint.statistics(),
      onLost(listener) {
        if (state === 'lost') queueMicrotask(() => listener(null));
        else lossListeners.push(listener);
      },
      lose: () => endpoint.lose(),
      leave(audioEnds) {
        state = 'left';
        if (endpoint !== original) backgroundTasks.add('leaving an endpoint', () => original.leave());
        return endpoint.leave(audioEnds);
      },
      destroy() {
        state = 'destroyed';
        if (endpoint !== original) destroyLater(original);
        return endpoint.destroy();
      },
    };
    return { ...connection, endpoint: outliving, onMoved: (listener) => void moveListeners.push(listener) };
  };

  return {
    /** Wraps the leg, so that its connections survive the loss of their media servers. */
    survivingLeg: (pending: PendingLeg, call: Call): PendingLeg => {
      const outcome = async (): Promise<Awaited<PendingLeg['outcome']>> => {
        const settled = await pending.outcome;
        if (!settled.answered) return settled;
        const { connection, person } = settled;
        const ofPerson = person?.answered === true ? surviving(person.connection, call) : null;
        return {
          ...settled,
          connection: surviving(connection, call),
          ...(ofPerson === null ? {} : { person: { answered: true, connection: ofPerson } }),
        };
      };
      return { ...pending, outcome: outcome() };
    },
  };
};

export type MediaFailover = ReturnType<typeof createMediaFailover>;
