/** SIP dialog of one call as used by its line: the attempt, its result, and the details reported for both. */
import type { LineEvent, SipDetails } from '#machines/line.ts';
import type { MediaStatistics } from '#machines/media-statistics.ts';
import type { Keypad } from './dtmf/keypad.ts';
import type { MediaWatch } from './media-watch.ts';
import type { Attempt, Connection } from './attempt.ts';

/** SIP dialog of a call, from the attempt on. */
export type CallDialog = {
  attempt: Attempt;
  /** `null` before the answer, and always for an unanswered call. */
  connection: Connection | null;
  /** `null` before the attempt has a result. */
  sip: SipDetails | null;
  /** Set at the answer. */
  watch: MediaWatch | null;
  keypad: Keypad | null;
  /** `null` until the call is over. */
  sound: MediaStatistics | null;
};

/** drachtio-server's id of the dialog, which the drachtio-srf types lack. */
export const idOf = ({ connection }: Pick<CallDialog, 'connection'>): string | null => {
  const id: unknown = connection && Reflect.get(connection.dialog, 'id');
  return typeof id === 'string' ? id : null;
};

/** drachtio-server's id of the dialog with the media server. */
export const channelIdOf = ({ connection }: Pick<CallDialog, 'connection'>): string | null =>
  connection?.endpoint.channel()?.dialog?.id ?? null;

/** Adds the details of the dialog and its audio to the events of its answer and end. */
export const withDetails = (event: LineEvent, { sip, attempt, sound }: CallDialog): LineEvent => {
  const details = () => {
    const route = attempt.route();
    return { sip: sip ?? attempt.sip(), ...(route === null ? {} : { route }) };
  };
  switch (event.type) {
    case 'line.answered':
    case 'line.unanswered':
      return { ...event, ...details() };
    case 'line.ended':
      return { ...event, ...details(), ...(sound === null ? {} : { sound }) };
    default:
      return event;
  }
};
