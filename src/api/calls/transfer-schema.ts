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
        '`requested`: the other party hears what is said before; `ringing`: the person is rung; `briefing`: the person hears what the call is about; `connected`: the other party talks with the person, or did; `failed`: nobody was connected, for `reason`; `returned`: it was taken back.',
      example: 'ringing',
    }),
    reason: z.enum(transferReasons).nullable().meta({
      description: 'Why it has failed; `call_ended`: the call was over before. Else null.',
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
        description:
          'What the telephone line said of the person where it has failed; absent where there is no SIP.',
      }),
  })
  .meta({ id: 'CallTransfer' });
