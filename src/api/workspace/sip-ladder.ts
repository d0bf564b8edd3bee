/** SIP messages of a call as the API returns them. */
import * as z from 'zod';
import { sipCallIdOf, sipTransports, startLineOf, type SipMessage } from '#src/domain/sip-message.ts';
import { timestampIn } from '#src/domain/timestamp.ts';
import type { CallRecord } from '#src/calls/stored-calls.ts';
import type { ApiServices } from '../api-services.ts';
import type { Decoded } from '../http/codec.ts';
import { timestamp } from '../fields.ts';

const ends = 'Host and port; an IPv6 address is in brackets.';

const sipMessage = z
  .object({
    at: timestamp,
    elapsed_ms: z
      .number()
      .meta({ description: 'Time since the first message of the call.', example: 12.345 }),
    direction: z.enum(['in', 'out']).meta({ description: '`out`: sent by this gateway.', example: 'out' }),
    transport: z.enum(sipTransports),
    local: z.string().meta({ description: `The gateway’s address. ${ends}`, example: '192.0.2.7:5060' }),
    remote: z.string().meta({
      description: `The trunk’s address: a name until something was received from it. ${ends}`,
      example: '198.51.100.9:5060',
    }),
    sip_call_id: z.string().meta({
      description: 'Its `Call-ID`: a different one for each trunk that is tried.',
      example: 'dd2339d7-611d-1240-c8a0-62a89614c020',
    }),
    start_line: z.string().meta({ example: 'INVITE sip:01012345678@198.51.100.9 SIP/2.0' }),
    text: z.string().meta({
      description: 'The whole message, up to 16,384 characters, with its secrets masked.',
      example: 'INVITE sip:01012345678@198.51.100.9 SIP/2.0\r\nCSeq: 1 INVITE\r\n\r\n',
    }),
    left_out: z.int().min(0).meta({
      description: 'Number of messages between the previous one and this one that were not stored.',
      example: 0,
    }),
  })
  .meta({ id: 'SipMessage' });

const emptyBecause = z.enum(['simulated', 'switched_off', 'too_old', 'none']);

export const sipLadder = z
  .object({
    call_id: z.uuid(),
    messages: z.array(sipMessage),
    empty_because: emptyBecause.nullable().meta({
      description:
        'Why there are none: the call was simulated, the gateway stores none, they have expired, or none was seen. Null if there are some.',
      example: null,
    }),
  })
  .meta({ id: 'SipLadder' });

const dayMs = 86_400_000;

const whyEmpty = (
  { startedAt }: Pick<CallRecord, 'startedAt'>,
  { calls: { sipTrace }, operation: { clock } }: ApiServices,
): z.output<typeof emptyBecause> => {
  if (sipTrace.isSimulated) return 'simulated';
  if (sipTrace.days === 0) return 'switched_off';
  return clock.now() - startedAt.getTime() > sipTrace.days * dayMs ? 'too_old' : 'none';
};

export const presentLadder = (
  call: Pick<CallRecord, 'id' | 'startedAt'>,
  messages: readonly SipMessage[],
  services: ApiServices,
): Decoded<z.output<typeof sipLadder>> => {
  const begun = messages[0]?.atMicros ?? 0;
  return {
    callId: call.id,
    messages: messages.map((message) => ({
      ...message,
      at: new Date(message.atMicros / 1_000),
      elapsedMs: (message.atMicros - begun) / 1_000,
      sipCallId: sipCallIdOf(message.text) ?? '',
      startLine: startLineOf(message.text),
    })),
    emptyBecause: messages.length > 0 ? null : whyEmpty(call, services),
  };
};

const lineBefore = (message: SipMessage, timeZone: string): string => {
  const { atMicros, direction, transport, local, remote, leftOut } = message;
  const micros = String(atMicros % 1_000).padStart(3, '0');
  const at = timestampIn(timeZone, new Date(atMicros / 1_000)).replace(/\.\d{3}/, `$&${micros}`);
  const way = direction === 'out' ? `${local} -> ${remote}` : `${remote} -> ${local}`;
  return `${leftOut === 0 ? '' : `(${leftOut} not kept)\n`}${at} ${transport} ${way}`;
};

/** Formats messages as plain text for reading and searching. Each message follows a heading line. */
export const ladderText = (messages: readonly SipMessage[], timeZone: string): string =>
  messages
    .map(
      (message) => `${lineBefore(message, timeZone)}\n\n${message.text.replaceAll('\r\n', '\n').trimEnd()}\n`,
    )
    .join('\n\n');
