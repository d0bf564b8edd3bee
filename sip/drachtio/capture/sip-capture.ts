/**
 * Captures the SIP messages of each call in order. The Call-ID of a message identifies the message's dialog. A call
 * claims the Call-ID of each INVITE that it sends or that became the call. Messages of an unclaimed INVITE wait, such
 * as those of a caller challenged for its password; they are dropped if no call claims the INVITE.
 */
import type { Clock } from '#src/domain/clock.ts';
import { sipCallIdOf, unknownAddress, type SipMessage, type SipTransport } from '#src/domain/sip-message.ts';
import { gatewayHeader } from '../../freeswitch/keep-alive.ts';
import { maskedMessage } from './masked-message.ts';
import { momentOf, readReportedMessage, type ReportedMessage } from './reported-message.ts';

/** Stores a message of a call immediately. Returns false if the message is lost. Never throws. */
export type KeepSipMessage = (callId: string, message: SipMessage) => boolean;

export type CaptureLimits = {
  /** Maximum number of messages of a call. Beyond it, only the last messages are stored. */
  messages: number;
  /** Maximum number of characters of a message. */
  characters: number;
  /** Maximum number of unclaimed INVITEs, and of messages for each of them. */
  unclaimed: number;
  unclaimedMessages: number;
  /** Time after the end of a dialog during which messages still belong to the dialog. */
  lingerMs: number;
};

/** Number of messages of a call. `leftOut` counts messages dropped since the last stored one. */
type Tally = { callId: string; kept: number; leftOut: number; lastMicros: number };

type Dialog = {
  /** Message count of the call; `null` until the dialog is claimed. */
  tally: Tally | null;
  waiting: SipMessage[];
  local: string;
  remote: string | null;
  transport: SipTransport;
};

/** Number of requests and responses stored from the end of a call that exceeds its limit. */
const lastWords = 20;

const isLastWord = (text: string): boolean =>
  /^(?:BYE|CANCEL) /.test(text) || /^cseq[ \t]*:[ \t]*\d+[ \t]+BYE/im.test(text);

/** Whether the message belongs to a call to FreeSWITCH, which uses the same drachtio-server and is not captured. */
const isToMediaServer = ({ direction, text }: ReportedMessage): boolean =>
  direction === 'out' && text.includes(`\r\n${gatewayHeader}: `);

const shortened = (text: string, characters: number): string =>
  text.length <= characters ? text : text.slice(0, text.lastIndexOf('\n', characters) + 1);

/** Removes NUL characters, which PostgreSQL cannot store. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** Returns the target of a request from the request's first line. */
const targetOf = (text: string): string => {
  const [, host = '', port = '5060'] =
    /^[A-Z]+ sips?:(?:[^@\s]{0,256}@)?(\[[^\]\s]{1,64}\]|[^\s:;?]{1,256})(?::(\d{1,5}))?/.exec(text) ?? [];
  return host === '' ? unknownAddress : `${host}:${port}`;
};

const messageOf = (
  told: ReportedMessage,
  dialog: Dialog,
  { characters, nowMs }: { characters: number; nowMs: number },
): SipMessage => {
  dialog.local = told.local ?? dialog.local;
  dialog.remote = told.remote ?? dialog.remote;
  dialog.transport = told.transport ?? dialog.transport;
  const text = maskedMessage(withoutNul(shortened(told.text, characters)));
  return {
    atMicros: momentOf(told.time, nowMs),
    direction: told.direction,
    transport: dialog.transport,
    local: dialog.local,
    remote: dialog.remote ?? targetOf(text),
    text,
    leftOut: 0,
  };
};

/**
 * Returns the time of a message, incremented so that messages less than a millisecond apart keep the order in which
 * they were reported.
 */
const inOrder = (atMicros: number, { lastMicros }: Tally): number =>
  atMicros <= lastMicros && lastMicros - atMicros < 1_000 ? lastMicros + 1 : atMicros;

const begin = (): Dialog => ({
  tally: null,
  waiting: [],
  local: unknownAddress,
  remote: null,
  transport: 'udp',
});

/** Stores unclaimed INVITEs by Call-ID. Beyond the limit the oldest INVITE is removed. */
const createUnclaimed = (most: number) => {
  const dialogs = new Map<string, Dialog>();
  return {
    get: (sipCallId: string): Dialog | undefined => dialogs.get(sipCallId),
    add(sipCallId: string): Dialog {
      const dialog = begin();
      dialogs.set(sipCallId, dialog);
      const [oldest] = dialogs.keys();
      if (dialogs.size > most && oldest !== undefined) dialogs.delete(oldest);
      return dialog;
    },
    take(sipCallId: string): Dialog | undefined {
      const dialog = dialogs.get(sipCallId);
      dialogs.delete(sipCallId);
      return dialog;
    },
  };
};

export const createSipCapture = (options: { keep: KeepSipMessage; limits: CaptureLimits; clock: Clock }) => {
  const { keep, limits, clock } = options;
  const unclaimed = createUnclaimed(limits.unclaimed);
  /** Claimed dialogs by Call-ID. */
  const claimed = new Map<string, Dialog>();
  const tallies = new Map<string, Tally>();
  /** End times of dialogs by Call-ID, in the order of the ends. */
  const over = new Map<string, number>();

  const add = (tally: Tally, message: SipMessage): void => {
    const most = limits.messages + (isLastWord(message.text) ? lastWords : 0);
    const atMicros = inOrder(message.atMicros, tally);
    if (tally.kept < most && keep(tally.callId, { ...message, atMicros, leftOut: tally.leftOut })) {
      tally.kept += 1;
      tally.lastMicros = atMicros;
      tally.leftOut = 0;
    } else tally.leftOut += 1;
  };

  const dialogOf = (told: ReportedMessage): Dialog | undefined => {
    const sipCallId = sipCallIdOf(told.text);
    if (sipCallId === undefined) return undefined;
    const known = claimed.get(sipCallId) ?? unclaimed.get(sipCallId);
    if (known !== undefined || !told.text.startsWith('INVITE ') || isToMediaServer(told)) return known;
    return unclaimed.add(sipCallId);
  };

  const forgetOld = (): void => {
    for (const [sipCallId, endedAt] of over) {
      if (clock.now() - endedAt < limits.lingerMs) return;
      const callId = claimed.get(sipCallId)?.tally?.callId;
      if (callId !== undefined) tallies.delete(callId);
      claimed.delete(sipCallId);
      over.delete(sipCallId);
    }
  };

  return {
    /** Handles every message of the connection to drachtio-server. */
    hear(said: string): void {
      const told = readReportedMessage(said);
      const dialog = told === null ? undefined : dialogOf(told);
      if (told === null || dialog === undefined) return;
      const { tally, waiting } = dialog;
      if (tally === null && waiting.length >= limits.unclaimedMessages) return;
      const message = messageOf(told, dialog, { ...limits, nowMs: clock.now() });
      if (tally === null) waiting.push(message);
      else add(tally, message);
    },

    /** Assigns the INVITE with this Call-ID and its dialog to a call. */
    claim(sipCallId: string, callId: string): void {
      if (claimed.has(sipCallId)) return;
      forgetOld();
      const dialog = unclaimed.take(sipCallId) ?? begin();
      const tally = tallies.get(callId) ?? { callId, kept: 0, leftOut: 0, lastMicros: 0 };
      tallies.set(callId, tally);
      claimed.set(sipCallId, dialog);
      dialog.tally = tally;
      for (const message of dialog.waiting.splice(0)) add(tally, message);
    },

    /** Called when a far end has ended. The far end's messages are still captured for a while. */
    ended(sipCallId: string): void {
      if ((claimed.get(sipCallId) ?? unclaimed.get(sipCallId)) !== undefined)
        over.set(sipCallId, clock.now());
    },
  };
};

export type SipCapture = ReturnType<typeof createSipCapture>;

/** A capture that discards all messages. */
export const noSipCapture: SipCapture = { hear() {}, claim() {}, ended() {} };
