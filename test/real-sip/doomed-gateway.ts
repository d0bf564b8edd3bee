/** A process with one call on real servers, which says so when it stands and then waits to be killed. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';
import { realLines } from './real-lines.ts';

const server = z.object({ host: z.string(), port: z.number(), secret: z.string() });
const { drachtio, freeSwitch, trunkPort } = z
  .object({ drachtio: server, freeSwitch: server, trunkPort: z.number() })
  .parse(JSON.parse(process.argv[2] ?? ''));

const lines = await realLines({ drachtio, freeSwitch }, trunkPort);
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
