/** Audio statistics of a call, as clients see them. */
import * as z from 'zod';
import type { CallRow } from '#src/calls/stored-calls.ts';
import { oneWaySounds } from '#src/domain/one-way-sound.ts';
import type { Decoded } from '../codec.ts';

const streamFigures = (description: string, example: object) =>
  z
    .object({
      packets: z.int().nullable(),
      loss: z.number().nullable().meta({ description: 'The share of packets that did not arrive, 0 to 1.' }),
      jitter_ms: z.number().nullable(),
      mos: z
        .number()
        .nullable()
        .meta({ description: 'Mean opinion score, 1 to 4.5, as the E-model (ITU-T G.107) has it.' }),
    })
    .meta({ description, example });

export const callSound = z
  .object({
    codec: z.string().nullable().meta({ example: 'PCMA' }),
    received: streamFigures('What came in from the other party.', {
      packets: 2410,
      loss: 0.0041,
      jitter_ms: 3.2,
      mos: 4.36,
    }),
    sent: streamFigures('What went out; how it arrives is known where the other side reports it (RTCP).', {
      packets: 2412,
      loss: 0,
      jitter_ms: 1.5,
      mos: 4.4,
    }),
    dtmf: z
      .object({
        sent: z.enum(['rfc4733', 'info', 'none']),
        received: z.enum(['rfc4733', 'inband']),
      })
      .nullable()
      .meta({
        description:
          'How keys of the telephone go out and come in: as events of RTP (RFC 4733), by SIP INFO, as tones in the sound, or not at all. Keys by INFO are always taken in.',
        example: { sent: 'rfc4733', received: 'rfc4733' },
      }),
    round_trip_ms: z.number().nullable().meta({ example: 38.5 }),
    one_way: z.enum(oneWaySounds).nullable().meta({
      description:
        '`nothing_received`: for a while nothing came in from the other party; `nothing_delivered`: its reports say that nothing arrived there. Told while the call goes on by the event `sound.one_way`. Null where both have heard each other, and where it is not known.',
      example: null,
    }),
  })
  .meta({
    id: 'CallSound',
    description:
      'How the sound was carried, and how well. Filled when the call has ended, but for `one_way`; null is what nobody knows, and all of it where no packets are sent.',
  });

const unknownStream = { packets: null, loss: null, jitterMs: null, mos: null };

export const presentSound = ({
  sound,
  oneWay,
}: Pick<CallRow, 'sound' | 'oneWay'>): Decoded<z.output<typeof callSound>> => ({
  codec: sound?.codec ?? null,
  received: sound?.received ?? unknownStream,
  sent: sound?.sent ?? unknownStream,
  dtmf: sound?.dtmf ?? null,
  roundTripMs: sound?.roundTripMs ?? null,
  oneWay,
});
