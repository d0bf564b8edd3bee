/**
 * Tracks the far ends of calls from the INVITE to the end. Each leg is stored outside of this process, so that it is
 * ended even if the process dies or loses the connection to drachtio-server. drachtio-server itself would keep a dialog
 * without an owner and refresh its session timer forever.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { MediaChannel, SipLeg, Standing, StandingDialog } from '#src/domain/sip-leg.ts';
import type { BackgroundTasks } from '../../background-tasks.ts';
import type { SipCapture } from '../capture/sip-capture.ts';
import { endLeg, type SendCommand } from './end-leg.ts';

/** Storage of legs. Callers do not wait for writes. */
export type LegStore = {
  keep(id: string, kept: { callId: string | null; leg: SipLeg }): void;
  remove(id: string): void;
  /** Releases a leg that another process continues; its record stays stored. */
  release(id: string): void;
  /** Returns legs that an earlier process of this node, or of the given node, left. */
  orphans(node?: string): Promise<{ id: string; callId: string | null; leg: SipLeg }[]>;
};

/** One far end's leg, updated by its call. */
export type TrackedLeg = {
  /** Stores the current state. */
  update(leg: SipLeg): void;
  /** Returns the leg as it would be resumed now; `null` before it is established and after its end. */
  standing(): Standing | null;
  /** Stores a new description or agreement of an established leg, and the current channel of its audio. */
  agreed(change: Partial<StandingDialog>, channel: MediaChannel | null): void;
  /** Called when the leg has ended or was hung up. */
  ended(): void;
  /** Gives up the leg: it is ended as soon as there is a connection. */
  abandon(): void;
  /** Releases the leg to another process: it is no longer tracked here and not ended. */
  left(): void;
};

type Held = { callId: string | null; leg: SipLeg };

export type LegTrackerOptions = {
  store: LegStore;
  /** Sends a command to drachtio-server; rejects on an error response, or without a connection. */
  send: SendCommand;
  endChannel: (channel: MediaChannel) => Promise<void>;
  /** Assigns captured SIP messages to calls; a caller's messages are claimed once the call is accepted. */
  sipCapture: Pick<SipCapture, 'claim' | 'ended'>;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/** Legs without an owner; each is ended as soon as there is a connection to drachtio-server. */
const createAbandonedLegs = ({
  store,
  send,
  sipCapture,
  clock,
  backgroundTasks,
  logger,
}: LegTrackerOptions) => {
  const waiting = new Map<string, Held>();
  let isConnected = false;

  const end = async (id: string, { callId, leg }: Held): Promise<void> => {
    if (callId !== null) sipCapture.claim(leg.sipCallId, callId);
    try {
      const how = await endLeg(leg, { send, clock });
      sipCapture.ended(leg.sipCallId);
      store.remove(id);
      logger.warn({ call_id: callId, how }, 'hung up the far end of an orphaned call');
    } catch (error) {
      logger.warn({ call_id: callId, err: error }, 'the far end of an orphaned call could not be hung up');
      // Keeps the leg for the next connection if there is none; otherwise removes it.
      if (isConnected) store.remove(id);
      else waiting.set(id, { callId, leg });
    }
  };

  const endAll = (): void => {
    if (!isConnected) return;
    for (const [id, one] of waiting) {
      waiting.delete(id);
      backgroundTasks.add('ending a far end', () => end(id, one));
    }
  };

  return {
    has: (id: string): boolean => waiting.has(id),
    /** Stays in the list until the next `endAll`. */
    add: (id: string, one: Held): void => void waiting.set(id, one),
    endAll,
    connected(): void {
      isConnected = true;
      endAll();
    },
    lost(): void {
      isConnected = false;
    },
  };
};

export const createLegTracker = (options: LegTrackerOptions) => {
  const { store, sipCapture, backgroundTasks } = options;
  /** Legs of this process's calls. */
  const held = new Map<string, Held>();
  const abandoned = createAbandonedLegs(options);

  const endChannel = (channel: MediaChannel): void =>
    backgroundTasks.add('ending a channel', () => options.endChannel(channel));

  return {
    /**
     * Tracks a far end of a call, or of a trunk check. `keptId`: id under which an earlier process of the call stored
     * the leg.
     */
    track(callId: string | null, keptId?: string): TrackedLeg {
      const id = keptId ?? randomUUID();
      let isOver = false;
      const update = (leg: SipLeg): void => {
        if (isOver) return;
        if (callId !== null && leg.state !== 'arriving') sipCapture.claim(leg.sipCallId, callId);
        // Legs that were given up stay so after a connection loss, regardless of later updates.
        if (abandoned.has(id)) abandoned.add(id, { callId, leg });
        else held.set(id, { callId, leg });
        store.keep(id, { callId, leg });
      };
      return {
        update,
        standing() {
          const leg = held.get(id)?.leg;
          return leg?.state === 'standing' && leg.dialog !== null ? { id, leg, agreed: leg.dialog } : null;
        },
        agreed(change, channel) {
          const leg = held.get(id)?.leg;
          if (leg?.dialog) update({ ...leg, channel, dialog: { ...leg.dialog, ...change } });
        },
        abandon() {
          const one = held.get(id);
          if (one === undefined) return;
          held.delete(id);
          abandoned.add(id, one);
          abandoned.endAll();
        },
        left() {
          isOver = true;
          held.delete(id);
          store.release(id);
        },
        ended() {
          isOver = true;
          const one = held.get(id);
          if (one === undefined) return;
          held.delete(id);
          sipCapture.ended(one.leg.sipCallId);
          store.remove(id);
        },
      };
    },

    /** Ends legs of dead processes now, or as soon as there is a connection. */
    endOrphans(orphans: Awaited<ReturnType<LegStore['orphans']>>): void {
      for (const { id, ...one } of orphans) {
        abandoned.add(id, one);
      }
      abandoned.endAll();
    },

    /** Ends the channels of these legs; FreeSWITCH releases the other channels later (GW_FREESWITCH_PARK_SEC). */
    endChannels(orphans: readonly { leg: SipLeg }[]): void {
      for (const { leg } of orphans) if (leg.channel !== null) endChannel(leg.channel);
    },

    connected: abandoned.connected,

    /**
     * Handles the loss of the connection to drachtio-server: all calls are lost with it, except those that wait for a
     * new one, given by their dialogs.
     */
    lost(waiting: ReadonlySet<string>): void {
      abandoned.lost();
      for (const [id, one] of held) {
        if (waiting.has(one.leg.dialogId)) continue;
        abandoned.add(id, one);
        held.delete(id);
      }
    },
  };
};

export type LegTracker = ReturnType<typeof createLegTracker>;
