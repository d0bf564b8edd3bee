import * as z from 'zod';
import type { PlacedCall } from '#src/calls/setup/place-call.ts';
import type { Language } from '#src/domain/language.ts';
import type { Metadata } from '#src/domain/metadata.ts';
import { readDestination } from '#src/domain/read-number.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import { encode } from '../http/codec.ts';
import { language, text } from '../fields.ts';
import { sipHeaders } from '../sip-headers-field.ts';
import { metadata } from './metadata-fields.ts';
import { defineRoute } from '../http/route.ts';

const durationError = 'max_duration_sec must be a whole number from 60 to 1800.';

export const placedCall = z.object({
  call_id: z.uuid(),
  status: z.literal('ringing'),
  from: z
    .string()
    .meta({ description: 'The number that calls, in domestic format.', example: '07012345678' }),
});

/** Metadata of a new call. */
export const createCallBody = z.object({
  to: z.string().meta({
    description:
      'The number to call, in domestic format; hyphens and spaces are removed. The international form of a domestic number (`+82…`) is refused with `invalid_to`; a foreign number is `+` and its country code, and is refused as well unless `destinations` of the policy allow it.',
    example: '010-0000-0001',
  }),
  instruction: text(8000).nullish().meta({
    description: 'The task of this call. May be omitted if the agent knows its task already.',
    example: 'Confirm the reservation of tomorrow at three.',
  }),
  language: language.optional().meta({
    description:
      "The language of this call, BCP 47: the agent's, and that of recognition, synthesis and the gateway's own sentences. When omitted, the language of the number applies. Texts that are set for the number are spoken as they are; its voice speaks only its own language.",
    example: 'en',
  }),
  max_duration_sec: z
    .int({ error: durationError })
    .min(60, { error: durationError })
    .max(1800, { error: durationError })
    .optional()
    .meta({
      description:
        'Seconds from the answer, at most the maximum of the policy of the number. When omitted, the stored policy applies.',
      example: 600,
    }),
  metadata: metadata.optional(),
  sip_headers: sipHeaders.optional(),
});

export const createCall = defineRoute({
  method: 'post',
  path: '/api/v1/calls',
  operationId: 'createCall',
  tag: 'Calls',
  summary: 'Place a call',
  description:
    'Dials `to` from the number of the key and responds as soon as dialing has started. Real calls cost real money. When the other party answers, the agent speaks first.',
  auth: 'number',
  beginsCall: true,
  idempotent: true,
  body: createCallBody.meta({
    id: 'CreateCall',
    // Omits headers from the example, because they would require a trunk that accepts them.
    example: {
      to: '010-0000-0001',
      instruction: 'Confirm the reservation of tomorrow at three.',
      max_duration_sec: 600,
      metadata: { order: 'A-1042' },
    },
  }),
  fieldCodes: { max_duration_sec: 'invalid_max_duration_sec' },
  responses: {
    201: {
      description: 'Dialing has started.',
      schema: placedCall,
    },
  },
  refusals: [
    'invalid_to',
    'destination_not_allowed',
    'max_duration_exceeds_policy',
    'no_agent_endpoint',
    'concurrency_limit',
    'daily_limit_reached',
    'draining',
    'over_capacity',
  ],
}).handledBy(async ({ caller, body, keyed }, { directory: { country }, calls: { placeCall } }) => {
  const to = readDestination(body.to, country);
  const placed = await placeCall(caller, {
    to,
    instruction: body.instruction ?? null,
    maxDurationSec: body.maxDurationSec ?? null,
    ...saidOf(body),
    keyed: keyed && {
      ...keyed,
      answer(placing) {
        const { status, body: answer } = present(placing);
        return {
          responseStatus: status,
          responseBody: JSON.stringify(encode(placedCall, answer, caller.workspace.timeZone)),
        };
      },
    },
  });
  return present(placed);
});

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

/** Returns language, metadata and custom SIP headers of the call if the client sent any. */
const saidOf = ({ language: spoken, metadata: said = {}, sipHeaders: headers = {} }: Said) => ({
  ...(spoken === undefined ? {} : { language: spoken }),
  ...(isEmpty(said) ? {} : { metadata: said }),
  ...(isEmpty(headers) ? {} : { sipHeaders: headers }),
});

type Said = { language?: Language | undefined; metadata?: Metadata; sipHeaders?: SipHeaders };

const present = (placed: PlacedCall) => ({ status: 201, body: { ...placed, status: 'ringing' } }) as const;
