/** The SIP dialog of one call, as its line knows it: the attempt, what came of it, and what is said of both. */
import type { LineEvent, SipDetails } from '#machines/line.ts';
import type { SoundFigures } from '#machines/sound-figures.ts';
import type { Keypad } from './keypad.ts';
import type { SoundWatch } from './sound-watch.ts';
import type { Attempt, Connection } from './signalling/attempt.ts';

/** The SIP dialog of a call, from the attempt on. */
export type CallDialog = {
  attempt: Attempt;
  /** `null` until it was answered, and for ever where it was not. */
  connection: Connection | null;
  /** `null` until the attempt has come to something. */
  sip: SipDetails | null;
  /** Since the answer. */
  watch: SoundWatch | null;
  keypad: Keypad | null;
  /** `null` until the call is over. */
  sound: SoundFigures | null;
};

/** drachtio-server's own name of it, which the types of drachtio-srf leave out. */
export const idOf = ({ connection }: Pick<CallDialog, 'connection'>): string | null => {
  const id: unknown = connection && Reflect.get(connection.dialog, 'id');
  return typeof id === 'string' ? id : null;
};

/** The same, of that with the media server. */
export const channelIdOf = ({ connection }: Pick<CallDialog, 'connection'>): string | null =>
  connection?.endpoint.channel()?.dialog?.id ?? null;

/** What is known of the dialog and its sound goes with what is said of its answer and its end. */
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
