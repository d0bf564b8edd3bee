import { createRequire } from 'node:module';
import test from 'ava';
import { z } from 'zod';
import { askForWantedEvents } from '#sip/drachtio/media/wanted-events.ts';

const fsmrf = createRequire(createRequire(import.meta.url).resolve('drachtio-fsmrf'));
const Connection = z
  .custom<{ prototype: { subscribe: (events: string | readonly string[]) => void } }>(
    (value) => typeof value === 'function',
  )
  .parse(fsmrf('drachtio-modesl/lib/esl/Connection'));

/** What FreeSWITCH is told when drachtio-fsmrf asks for these. */
const askedFor = (events: string | readonly string[]): string[] => {
  const told: string[] = [];
  Connection.prototype.subscribe.call({ sendRecv: (command: string) => told.push(command) }, events);
  return told;
};

test('of the events that are asked for of a channel only those come that somebody looks at', (t) => {
  askForWantedEvents();
  t.deepEqual(askedFor('CHANNEL_EXECUTE CHANNEL_EXECUTE_COMPLETE CHANNEL_CALLSTATE CHANNEL_ANSWER DTMF'), [
    'event json CHANNEL_CALLSTATE DTMF',
  ]);
  t.deepEqual(askedFor(['HEARTBEAT']), ['event json HEARTBEAT']);
});
