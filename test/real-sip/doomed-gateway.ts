/** A process with one call on real servers, which says what it keeps of it, and when it stands; then it waits to be killed. */
import { z } from 'zod';
import type { LegStore } from '#sip/drachtio/signalling/leg-tracker.ts';
import { lineInput } from '#test/helpers/line-input.ts';
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
lines.open(lineInput(), ({ type }) => {
  if (type === 'line.answered') process.stdout.write('answered\n');
});
