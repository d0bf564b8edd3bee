/** Two finished calls, one of them with metadata and SIP headers. */
import { z } from 'zod';
import { finalStatuses } from '#test/helpers/gateway.ts';
import type { ConsoleWorld } from './in-browser.ts';

const long = 'a'.repeat(500);

export const placeCallsWithMetadata = async ({
  gateway,
}: ConsoleWorld): Promise<{ withMetadata: string; without: string }> => {
  await gateway.admin.post('/api/v1/admin/trunks', {
    name: 'carrier',
    host: 'sip.example.com',
    headers_out: ['X-Ticket'],
  });
  const place = async (to: string, more: object): Promise<string> => {
    const { body } = await gateway.client.post('/api/v1/calls', { to, ...more });
    const callId = z.uuid().parse(body['call_id']);
    await gateway.untilStatus(callId, ...finalStatuses);
    return callId;
  };
  const metadata = { order: 'A-1042', 'crm.note': '<b>예약</b> = 두 명', long };
  return {
    withMetadata: await place('01000000003', { metadata, sip_headers: { 'X-Ticket': '1042' } }),
    without: await place('01000000004', {}),
  };
};
