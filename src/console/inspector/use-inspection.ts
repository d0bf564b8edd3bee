/** Subscribes to the gateway's stream of actor messages while the page is open. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { getCall } from '../api.ts';
import { Problem, Unreachable } from '../api/request.ts';
import {
  inspectionAfter,
  mostEntries,
  nothingSeen,
  readMessage,
  type Inspection,
  type Told,
} from './inspection.ts';

/** Time in milliseconds in which messages are collected into one render. */
const gatherMs = 100;
const againMs = 2_000;

/** Close code (RFC 6455) after the end of the call. */
const done = 1_000;

export type Watching = {
  /** The displayed state, which does not change while the display is paused. */
  shown: Inspection;
  /** `refused`: the call is not in progress, or there are too many subscribers. */
  link: 'joining' | 'open' | 'lost' | 'over' | 'refused';
  isPaused: boolean;
  /** Number of messages received while the display is paused. */
  waiting: number;
  pause(isPaused: boolean): void;
  /** Drops the messages and keeps the actors. */
  clear(): void;
};

const addressOf = (callId: string): URL => {
  const address = new URL('/inspect', location.href.replace(/^http/, 'ws'));
  address.hash = '';
  // This page draws no charts.
  address.searchParams.set('definitions', '0');
  address.searchParams.set('call', callId);
  return address;
};

/** Resolves to true if the call has ended, and to false while the gateway is unreachable. */
const isOver = async (callId: string): Promise<boolean> => {
  try {
    return (await getCall(callId)).ended_at !== null;
  } catch (error) {
    if (error instanceof Problem || error instanceof Unreachable) return false;
    throw error;
  }
};

export const useInspection = (callId: string): Watching => {
  const [now, setNow] = useState(nothingSeen);
  const [frozen, setFrozen] = useState<Inspection | null>(null);
  const [link, setLink] = useState<Watching['link']>('joining');
  const gathered = useRef<Told[]>([]);

  useEffect(() => {
    let socket: WebSocket | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    let wasSeen = false;
    const show = (): void => {
      clearTimeout(gathering);
      gathering = undefined;
      const told = gathered.current.splice(0);
      setNow((before) => inspectionAfter(before, told));
    };
    const tryAgain = async (): Promise<void> => {
      const over = await isOver(callId);
      if (isGone) return;
      if (over) setLink('over');
      else open();
    };
    const open = (): void => {
      let wasOpen = false;
      socket = new WebSocket(addressOf(callId));
      socket.addEventListener('open', () => {
        wasOpen = true;
        setLink('open');
        // Actors are reset, because after a connect the gateway first sends the current actors.
        setNow(({ entries }) => ({ entries, actors: new Map() }));
      });
      socket.addEventListener('message', ({ data }) => {
        const told = readMessage(JSON.parse(String(data)));
        if (told === undefined) return;
        gathered.current.push(told);
        gathering ??= setTimeout(show, gatherMs);
        // Timers of a hidden page may wait for a minute.
        if (gathered.current.length >= mostEntries) show();
      });
      socket.addEventListener('close', ({ code }) => {
        if (isGone) return;
        if (code === done) return setLink('over');
        if (!wasSeen && !wasOpen) return setLink('refused');
        wasSeen = true;
        setLink('lost');
        again = setTimeout(() => void tryAgain(), againMs);
      });
    };
    open();
    return () => {
      isGone = true;
      clearTimeout(again);
      clearTimeout(gathering);
      gathered.current = [];
      socket?.close();
    };
  }, [callId]);

  const lastOf = ({ entries }: Inspection): number => entries.at(-1)?.id ?? 0;
  return {
    shown: frozen ?? now,
    link,
    isPaused: frozen !== null,
    waiting: frozen === null ? 0 : Math.max(0, lastOf(now) - lastOf(frozen)),
    pause: (isPaused) => setFrozen(isPaused ? now : null),
    clear() {
      setNow((before) => ({ ...before, entries: [] }));
      setFrozen((before) => before && { ...before, entries: [] });
    },
  };
};
