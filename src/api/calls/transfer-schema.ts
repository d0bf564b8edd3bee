/** The last transfer of a call as clients see it (guides/transfer.md). */
import * as z from 'zod';
import { transferReasons, transferStatuses } from '#src/domain/call-transfer.ts';
import { timestamp } from '../fields.ts';
import { sipCallInfo, sipReasons } from './sip-explanation-schema.ts';

export const callTransfer = z
  .object({
    id: z.uuid(),
    to: z.string().meta({ description: 'Domestic format.', example: '0212345678' }),
    mode: z.enum(['cold', 'warm']),
    status: z.enum(transferStatuses).meta({
      description:
        '`requested`: the other party hears the words said before the transfer; `ringing`: the person is being called; `briefing`: the person hears the briefing; `connected`: the other party and the person are connected, or were; `failed`: not connected, for `reason`; `returned`: cancelled.',
      example: 'ringing',
    }),
    reason: z.enum(transferReasons).nullable().meta({
      description: 'Why it failed; `call_ended`: the call ended before. Otherwise null.',
      example: null,
    }),
    started_at: timestamp,
    connected_at: timestamp.nullable(),
    sip: z
      .object({
        status: z.int().nullable(),
        reason: z.string().nullable(),
        call_id: z.string().nullable(),
        reasons: sipReasons,
        call_info: sipCallInfo,
      })
      .optional()
      .meta({
        description: "The SIP result of the person's leg, if it failed; absent without SIP.",
      }),
  })
  .meta({ id: 'CallTransfer' });
