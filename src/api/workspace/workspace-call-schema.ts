/** The call in the admin API: includes its trunk and network addresses. */
import * as z from 'zod';
import type { CallRecord } from '#src/calls/stored-calls.ts';
import type { LatencySummary } from '#src/domain/latency-summary.ts';
import type { Decoded } from '../http/codec.ts';
import { callRecord } from '../calls/call-schema.ts';
import { presentCall } from '../calls/present-call.ts';

const address = z.string().nullable();

export const workspaceCall = callRecord
  .extend({
    trunk: z
      .object({
        id: z.string().meta({ description: '`configured` for the trunk of the gateway itself.' }),
        name: z.string(),
      })
      .nullable()
      .meta({
        description: 'The trunk of the call, the last one that was tried; null if there is none.',
        example: { id: '5a0a7a1e-6c5e-4a5e-9c39-0a3f5c3d7f10', name: 'carrier' },
      }),
    failed_trunks: z.array(z.string()).meta({
      description: 'Ids of the trunks that were tried before and failed.',
      example: [],
    }),
    addresses: z
      .object({
        local_signalling: address,
        remote_signalling: address,
        local_media: address,
        remote_media: address,
      })
      .meta({
        description: '`address:port` of SIP and of RTP on both sides; null if unknown.',
        example: {
          local_signalling: '192.0.2.10:5060',
          remote_signalling: '203.0.113.5:5060',
          local_media: '192.0.2.10:25014',
          remote_media: '203.0.113.9:40120',
        },
      }),
  })
  .meta({ id: 'WorkspaceCall' });

export const presentWorkspaceCall = (
  call: CallRecord,
  latency: LatencySummary | null = null,
): Decoded<z.output<typeof workspaceCall>> => ({
  ...presentCall(call, latency),
  trunk: call.trunkId === null ? null : { id: call.trunkId, name: call.trunkName ?? call.trunkId },
  failedTrunks: call.failedTrunks ?? [],
  addresses: {
    localSignalling: call.localSignalling,
    remoteSignalling: call.remoteSignalling,
    localMedia: call.sound?.localAddress ?? null,
    remoteMedia: call.sound?.remoteAddress ?? null,
  },
});
