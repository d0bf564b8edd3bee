/** Audio statistics of a call, as clients see them. */
import * as z from 'zod';
import type { CallRow } from '#src/calls/stored-calls.ts';
import { oneWaySounds } from '#src/domain/one-way-sound.ts';
import type { Decoded } from '../http/codec.ts';

const streamFigures = (description: string, example: object) =>
  z
    .object({
      packets: z.int().nullable(),
      loss: z.number().nullable().meta({ description: 'The share of lost packets, 0 to 1.' }),
      jitter_ms: z.number().nullable(),
      mos: z
        .number()
        .nullable()
        .meta({ description: 'Mean opinion score, 1 to 4.5, by the E-model (ITU-T G.107).' }),
    })
    .meta({ description, example });

export const callSound = z
  .object({
    codec: z.string().nullable().meta({ example: 'PCMA' }),
    received: streamFigures('Received from the other party.', {
      packets: 2410,
      loss: 0.0041,
      jitter_ms: 3.2,
      mos: 4.36,
    }),
    sent: streamFigures(
      'Sent to the other party; its arrival is known if the other side reports it (RTCP).',
      {
        packets: 2412,
        loss: 0,
        jitter_ms: 1.5,
        mos: 4.4,
      },
    ),
    dtmf: z
      .object({
        sent: z.enum(['rfc4733', 'info', 'none']),
        received: z.enum(['rfc4733', 'inband']),
      })
      .nullable()
      .meta({
        description:
          'Transmission of DTMF digits: as RTP events (RFC 4733), by SIP INFO, as tones in the audio, or not at all. Digits by INFO are always accepted.',
        example: { sent: 'rfc4733', received: 'rfc4733' },
      }),
    round_trip_ms: z.number().nullable().meta({ example: 38.5 }),
    one_way: z.enum(oneWaySounds).nullable().meta({
      description:
        '`nothing_received`: no audio arrived from the other party for a while; `nothing_delivered`: its reports say that none of ours arrived. Reported during the call by the event `sound.one_way`. Null if both were heard, and if it is unknown.',
      example: null,
    }),
  })
  .meta({
    id: 'CallSound',
    description:
      'Audio statistics. Filled when the call has ended, except `one_way`; unknown values are null, and all are null if no packets are sent.',
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
