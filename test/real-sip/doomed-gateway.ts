/** A process with one call on real servers, which says what it keeps of it, and when it stands; then it waits to be killed. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { LegStore } from '#sip/drachtio/signalling/leg-tracker.ts';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';
import { realLines } from './real-lines.ts';

const server = z.object({ host: z.string(), port: z.number(), secret: z.string() });
const { drachtio, freeSwitch, trunkPort, media } = z
  .object({
    drachtio: server,
    freeSwitch: server,
    trunkPort: z.number(),
    media: z.enum(['freeswitch', 'direct']).default('freeswitch'),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));

const legs: LegStore = {
  keep: (id, { leg }) => void process.stdout.write(`leg ${JSON.stringify({ id, leg })}\n`),
  remove() {},
  orphans: async () => [],
};
const lines = await realLines({ drachtio, freeSwitch }, trunkPort, { legs }, media);
await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
lines.open(
  {
    callId: randomUUID(),
    direction: 'outbound',
    from: '0212345678',
    to: '01099998888',
    language: 'en',
    speech: usualSpeech,
    bargeIn: stopping,
    turnEnd: byPauses,
    recording: false,
  },
  ({ type }) => {
    if (type === 'line.answered') process.stdout.write('answered\n');
  },
);
