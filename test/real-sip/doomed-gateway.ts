/**
 * A process with one call on real servers that prints its stored state and the answer of the call, then waits to be
 * killed.
 */
import { z } from 'zod';
import type { DrachtioLines } from '#sip/drachtio/drachtio-lines.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { realLines } from './real-lines.ts';

const server = z.object({ host: z.string(), port: z.number(), secret: z.string() });
const { drachtio, freeSwitch, ports, trunkPort, media, encrypted } = z
  .object({
    drachtio: server,
    freeSwitch: server,
    /** For the audio of the lines. */
    ports: z.object({ from: z.number(), to: z.number() }),
    trunkPort: z.number(),
    media: z.enum(['freeswitch', 'direct']).default('freeswitch'),
    /** Transport of a call with SRTP; null without SRTP. */
    encrypted: z.enum(['udp', 'tls']).nullable().default(null),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));

const onCheckpoint = (callId: string): void => {
  for (const one of lines.checkpoint(callId).legs) process.stdout.write(`leg ${JSON.stringify(one)}\n`);
};
const encryptedTrunk = (transport: 'udp' | 'tls') =>
  someTrunk({ host: '127.0.0.1', port: trunkPort, transport, srtp: 'required', media });
const lines: DrachtioLines = await realLines(
  { drachtio, freeSwitch },
  trunkPort,
  {
    onCheckpoint,
    rtp: { host: '127.0.0.1', ports },
    ...(encrypted === null ? {} : { trunk: null, trunks: directoryOf([encryptedTrunk(encrypted)]) }),
  },
  media,
);
await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
lines.open(lineInput(), ({ type }) => {
  if (type === 'line.answered') process.stdout.write('answered\n');
});
