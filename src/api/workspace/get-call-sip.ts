import * as z from 'zod';
import { callIdInPath } from '../ids.ts';
import { pcapOf } from '../calls/pcap.ts';
import { defineRoute } from '../http/route.ts';
import { ladderText, presentLadder, sipLadder } from './sip-ladder.ts';

const media = { text: 'text/plain', pcap: 'application/vnd.tcpdump.pcap' } as const;

export const getCallSip = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/sip',
  operationId: 'getCallSip',
  tag: 'Workspace',
  summary: 'The SIP messages of a call',
  description:
    'The messages between the gateway and its trunks for this call, in order, as reported by drachtio-server: without 100 Trying, the ACK of a refusal, and retransmissions. Credentials, SRTP keys and DTMF digits are masked. Stored for `GW_SIP_TRACE_DAYS` days. As JSON; as text; or as a capture file for Wireshark, in which each message is a UDP datagram.',
  auth: 'viewer',
  params: callIdInPath,
  query: z.object({ format: z.enum(['json', 'text', 'pcap']).default('json') }),
  responses: {
    200: {
      description: 'The messages.',
      schema: sipLadder,
      media: [media.text, media.pcap],
      examples: {
        [media.text]:
          '2026-11-21T12:00:00.000000+09:00 udp 192.0.2.7:5060 -> 198.51.100.9:5060\n\nINVITE sip:01012345678@198.51.100.9 SIP/2.0\n',
        [media.pcap]: '\\xd4\\xc3\\xb2\\xa1',
      },
    },
  },
  refusals: ['call_not_found'],
}).handledBy(async ({ caller, params, query }, services) => {
  const { id: workspaceId, timeZone } = caller.workspace;
  const call = await services.calls.storedCalls.find({ callId: params.callId, workspaceId });
  const messages = await services.calls.storedCalls.sipMessages(call.id);
  const named = (name: string) => ({ 'Content-Disposition': `attachment; filename="${call.id}.${name}"` });
  switch (query.format) {
    case 'text': {
      const headers = { ...named('txt'), 'Content-Type': `${media.text}; charset=utf-8` };
      return { status: 200, media: media.text, headers, body: ladderText(messages, timeZone) };
    }
    case 'pcap':
      return { status: 200, media: media.pcap, headers: named('pcap'), body: pcapOf(messages) };
    default:
      return { status: 200, body: presentLadder(call, messages, services) };
  }
});
