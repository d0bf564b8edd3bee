/**
 * The far ends of calls, from the INVITE to the end. Each is kept where it outlives this process, so that one whose
 * process died, or whose connection to drachtio-server was lost, is still ended: drachtio-server lets a dialog stand
 * without anybody who holds it, and refreshes its session timer for ever.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { MediaChannel, SipLeg, StandingDialog } from '#src/domain/sip-leg.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { SipCapture } from '../capture/sip-capture.ts';
import { endLeg, type SendCommand } from './end-leg.ts';

/** Where legs are kept. Nothing here waits for it. */
export type LegStore = {
  keep(id: string, kept: { callId: string | null; leg: SipLeg }): void;
  /** This leg of a call that goes on here was kept by the call's earlier process. */
  takeOver(id: string, callId: string): void;
  remove(id: string): void;
  /** Those that an earlier process has left behind, of this node or of the one that is named. */
  orphans(node?: string): Promise<{ id: string; callId: string | null; leg: SipLeg }[]>;
};

/** The leg of one far end, as its call tells of it. */
export type TrackedLeg = {
  /** It stands like this now. */
  update(leg: SipLeg): void;
  /** While it stands, this was described or agreed anew; its sound is here now. */
  agreed(change: Partial<StandingDialog>, channel: MediaChannel | null): void;
  /** It has gone, or was sent away: nothing is left to be ended. */
  ended(): void;
  /** It is nobody's any more, and is ended as soon as there is a connection. */
  abandon(): void;
  /** It goes on without this process: nothing is kept of it here, and nothing is ended. */
  left(): void;
};

type Held = { callId: string | null; leg: SipLeg };

export type LegTrackerOptions = {
  store: LegStore;
  /** To drachtio-server; rejects when it says no, or when there is no connection. */
  send: SendCommand;
  endChannel: (channel: MediaChannel) => Promise<void>;
  /** Which messages are of which call; those of a caller are claimed when it is decided that there is a call. */
  sipCapture: Pick<SipCapture, 'claim' | 'ended'>;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/** Legs that are nobody's any more: each is ended as soon as there is a connection to drachtio-server. */
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
      logger.warn({ call_id: callId, how }, 'the far end of a call that nobody holds any more was ended');
    } catch (error) {
      logger.warn({ call_id: callId, err: error }, 'a far end could not be ended');
      // Without a connection it waits for the next one; otherwise nothing more can be done.
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
    /** It waits for the next `endAll`. */
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
  /** Of calls of this process. */
  const held = new Map<string, Held>();
  const abandoned = createAbandonedLegs(options);

  const endChannel = (channel: MediaChannel): void =>
    backgroundTasks.add('ending a channel', () => options.endChannel(channel));

  return {
    /** A far end of a call, or of the check of a trunk; `keptId` where the call's earlier process has kept it. */
    track(callId: string | null, keptId?: string): TrackedLeg {
      const id = keptId ?? randomUUID();
      if (callId !== null && keptId !== undefined) store.takeOver(keptId, callId);
      let isOver = false;
      const update = (leg: SipLeg): void => {
        if (isOver) return;
        if (callId !== null && leg.state !== 'arriving') sipCapture.claim(leg.sipCallId, callId);
        // After a loss it is nobody's, whatever else comes of it.
        if (abandoned.has(id)) abandoned.add(id, { callId, leg });
        else held.set(id, { callId, leg });
        store.keep(id, { callId, leg });
      };
      return {
        update,
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

    /** Legs of which no process is left are ended now, or as soon as there is a connection. */
    endOrphans(orphans: Awaited<ReturnType<LegStore['orphans']>>): void {
      for (const { id, ...one } of orphans) {
        if (one.callId !== null) store.takeOver(id, one.callId);
        abandoned.add(id, one);
      }
      abandoned.endAll();
    },

    /** The channels of such legs; FreeSWITCH lets go of those that it is not asked for, later (GW_FREESWITCH_PARK_SEC). */
    endChannels(orphans: readonly { leg: SipLeg }[]): void {
      for (const { leg } of orphans) if (leg.channel !== null) endChannel(leg.channel);
    },

    connected: abandoned.connected,

    /** The connection to drachtio-server is lost, and with it every call but those that wait for it, by their dialogs. */
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
