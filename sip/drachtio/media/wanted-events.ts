/**
 * drachtio-fsmrf asks FreeSWITCH for every step of a channel, and each such event has all that is known of the channel
 * in it: some ten kilobytes that FreeSWITCH writes and this process reads for nobody. Here it asks for what is looked at.
 */
import { createRequire } from 'node:module';

type EventSocket = { sendRecv(command: string, callback?: () => void): void };
type Methods = {
  subscribe: (this: EventSocket, events: string | readonly string[], callback?: () => void) => void;
};

/** A channel's end and its reason, the keys that are pressed at it, and that FreeSWITCH is there. */
const wanted = new Set(['CHANNEL_CALLSTATE', 'DTMF', 'HEARTBEAT']);

const isMethods = (value: unknown): value is Methods =>
  typeof value === 'object' && value !== null && 'subscribe' in value && 'sendRecv' in value;

/** Of the very copy that drachtio-fsmrf uses. */
const connectionMethods = (): Methods => {
  const fsmrf = createRequire(createRequire(import.meta.url).resolve('drachtio-fsmrf'));
  const connection: unknown = fsmrf('drachtio-modesl/lib/esl/Connection');
  const methods: unknown = typeof connection === 'function' ? connection.prototype : undefined;
  if (!isMethods(methods)) throw new Error('drachtio-modesl is not as it is known here');
  return methods;
};

/** For the whole process. */
export const askForWantedEvents = (): void => {
  connectionMethods().subscribe = function subscribe(events, callback) {
    const names = (typeof events === 'string' ? events.split(' ') : events).filter((name) =>
      wanted.has(name),
    );
    this.sendRecv(`event json ${names.join(' ')}`, callback);
  };
};
