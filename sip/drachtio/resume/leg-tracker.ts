/**
 * Tracks the legs of calls and trunk checks from the INVITE to the end, also before the line of a call is opened and
 * after it is over. Legs are stored outside of this process (`Lines.checkpoint`), so that each far end is hung up even
 * if the process dies or loses the connection to drachtio-server. drachtio-server itself would keep a dialog without an
 * owner and refresh its session timer forever.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type {
  MediaChannel,
  OrphanLeg,
  SipLeg,
  Standing,
  StandingDialog,
  StoredLeg,
} from '#src/domain/sip-leg.ts';
import type { BackgroundTasks } from '../../background-tasks.ts';
import type { SipCapture } from '../capture/sip-capture.ts';
import { endLeg, type SendCommand } from './end-leg.ts';

/** One far end's leg, updated by its call. */
export type TrackedLeg = {
  /** Sets the current state. */
  update(leg: SipLeg): void;
  /** Returns the leg as it would be resumed now; `null` before it is established and after its end. */
  standing(): Standing | null;
  /** Sets a new description or agreement of an established leg, and the current channel of its audio. */
  agreed(change: Partial<StandingDialog>, channel: MediaChannel | null): void;
  /** Called when the leg has ended or was hung up. */
  ended(): void;
  /** Gives up the leg: it is ended as soon as there is a connection. */
  abandon(): void;
  /** Releases the leg to another process: it is no longer tracked here, not ended, and stays stored. */
  left(): void;
};

/**
 * `held`: a call or a trunk check has the leg. `abandoned`: it is ended as soon as there is a connection to
 * drachtio-server. `ending`: the commands that end it are sent.
 */
type Tracked = OrphanLeg & { state: 'held' | 'abandoned' | 'ending' };

export type LegTrackerOptions = {
  /**
   * Called when the legs of a call have changed. A trunk check has one leg and no call: the id of the leg is given
   * instead.
   */
  onCheckpoint: (callId: string) => void;
  /** Sends a command to drachtio-server; rejects on an error response, or without a connection. */
  send: SendCommand;
  endChannel: (channel: MediaChannel) => Promise<void>;
  /** Assigns captured SIP messages to calls; a caller's messages are claimed once the call is accepted. */
  sipCapture: Pick<SipCapture, 'claim' | 'ended'>;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/** Legs by call, and by their own id without a call. */
const createTrackedLegs = () => {
  const calls = new Map<string, Map<string, Tracked>>();
  const keyOf = ({ callId, id }: Pick<OrphanLeg, 'callId' | 'id'>): string => callId ?? id;
  return {
    keyOf,
    of: (callId: string): Tracked[] => [...(calls.get(callId)?.values() ?? [])],
    all: (): Tracked[] => [...calls.values()].flatMap((legs) => [...legs.values()]),
    find: (one: Pick<OrphanLeg, 'callId' | 'id'>): Tracked | undefined => calls.get(keyOf(one))?.get(one.id),
    set(one: Tracked): void {
      const key = keyOf(one);
      calls.set(key, (calls.get(key) ?? new Map<string, Tracked>()).set(one.id, one));
    },
    delete(one: Tracked): void {
      const key = keyOf(one);
      const legs = calls.get(key);
      legs?.delete(one.id);
      if (legs?.size === 0) calls.delete(key);
    },
  };
};

export const createLegTracker = (options: LegTrackerOptions) => {
  const { send, sipCapture, clock, backgroundTasks, logger } = options;
  const legs = createTrackedLegs();
  let isConnected = false;

  const changed = (one: Tracked): void => options.onCheckpoint(legs.keyOf(one));

  /** The far end has no leg any more. */
  const over = (one: Tracked): void => {
    legs.delete(one);
    changed(one);
  };

  const end = async (one: Tracked): Promise<void> => {
    const { callId, leg } = one;
    if (callId !== null) sipCapture.claim(leg.sipCallId, callId);
    try {
      const how = await endLeg(leg, { send, clock });
      sipCapture.ended(leg.sipCallId);
      over(one);
      logger.warn({ call_id: callId, how }, 'hung up the far end of an orphaned call');
    } catch (error) {
      logger.warn({ call_id: callId, err: error }, 'the far end of an orphaned call could not be hung up');
      // Keeps the leg for the next connection if there is none; otherwise removes it.
      if (isConnected) over(one);
      else one.state = 'abandoned';
    }
  };

  const endAbandoned = (): void => {
    if (!isConnected) return;
    for (const one of legs.all()) {
      if (one.state !== 'abandoned') continue;
      one.state = 'ending';
      backgroundTasks.add('ending a far end', () => end(one));
    }
  };

  const endChannel = (channel: MediaChannel): void =>
    backgroundTasks.add('ending a channel', () => options.endChannel(channel));

  return {
    /** Legs of a call, including those that are being hung up. */
    legsOf: (callId: string): StoredLeg[] => legs.of(callId).map(({ id, leg }) => ({ id, leg })),

    /**
     * Tracks a far end of a call, or of a trunk check. `keptId`: id under which an earlier process of the call stored
     * the leg.
     */
    track(callId: string | null, keptId?: string): TrackedLeg {
      const id = keptId ?? randomUUID();
      let isOver = false;
      const find = (): Tracked | undefined => legs.find({ id, callId });
      const findHeld = (): Tracked | undefined => {
        const one = find();
        return one?.state === 'held' ? one : undefined;
      };
      const update = (leg: SipLeg): void => {
        if (isOver) return;
        if (callId !== null && leg.state !== 'arriving') sipCapture.claim(leg.sipCallId, callId);
        // A leg that was given up stays so, regardless of later updates.
        const one = find() ?? { id, callId, leg, state: 'held' as const };
        one.leg = leg;
        legs.set(one);
        changed(one);
      };
      return {
        update,
        standing() {
          const leg = findHeld()?.leg;
          return leg?.state === 'standing' && leg.dialog !== null ? { id, leg, agreed: leg.dialog } : null;
        },
        agreed(change, channel) {
          const leg = findHeld()?.leg;
          if (leg?.dialog) update({ ...leg, channel, dialog: { ...leg.dialog, ...change } });
        },
        abandon() {
          const one = findHeld();
          if (one === undefined) return;
          one.state = 'abandoned';
          endAbandoned();
        },
        left() {
          isOver = true;
          const one = findHeld();
          if (one !== undefined) legs.delete(one);
        },
        ended() {
          isOver = true;
          const one = findHeld();
          if (one === undefined) return;
          sipCapture.ended(one.leg.sipCallId);
          over(one);
        },
      };
    },

    /** Ends legs of dead processes now, or as soon as there is a connection. */
    endOrphans(orphans: readonly OrphanLeg[]): void {
      for (const orphan of orphans) {
        const known = legs.find(orphan);
        if (known === undefined) legs.set({ ...orphan, state: 'abandoned' });
        else if (known.state === 'held') known.state = 'abandoned';
      }
      endAbandoned();
    },

    /** Ends the channels of these legs; FreeSWITCH releases the other channels later (GW_FREESWITCH_PARK_SEC). */
    endChannels(orphans: readonly { leg: SipLeg }[]): void {
      for (const { leg } of orphans) if (leg.channel !== null) endChannel(leg.channel);
    },

    connected(): void {
      isConnected = true;
      endAbandoned();
    },

    /**
     * Handles the loss of the connection to drachtio-server: all calls are lost with it, except those that wait for a
     * new one, given by their dialogs.
     */
    lost(waiting: ReadonlySet<string>): void {
      isConnected = false;
      for (const one of legs.all())
        if (one.state === 'held' && !waiting.has(one.leg.dialogId)) one.state = 'abandoned';
    },
  };
};

export type LegTracker = ReturnType<typeof createLegTracker>;
