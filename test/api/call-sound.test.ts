/** Trunk and sound in the record of a call, for clients and for admins. */
import test from 'ava';
import type { CallRow } from '#src/persistence/calls.ts';
import { readCsv } from '#test/helpers/read-csv.ts';
import { someRoute, someSound } from '#test/helpers/some-sound.ts';
import { fakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

const carried: Partial<CallRow> = {
  trunkId: someRoute.trunk.id,
  trunkName: someRoute.trunk.name,
  failedTrunks: ['first', 'second'],
  postDialDelayMs: someRoute.postDialDelayMs,
  localSignalling: someRoute.localAddress,
  remoteSignalling: someRoute.remoteAddress,
  oneWay: 'nothing_delivered',
  sound: someSound,
};

const sound = {
  codec: 'PCMA',
  received: { packets: 2_410, loss: 0.0041, jitter_ms: 3.2, mos: 4.36 },
  sent: { packets: 2_412, loss: 0, jitter_ms: 1.5, mos: 4.4 },
  round_trip_ms: 38.5,
  one_way: 'nothing_delivered',
};

test('a client sees how its call sounded, and neither trunk nor address', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, carried);
  const { body } = await gateway.client.get(`/api/v1/calls/${id}`);
  t.like(body, { post_dial_delay_ms: 1_830, sound });
  t.notRegex(JSON.stringify(body), /carrier|192\.0\.2|203\.0\.113/);
});

test('an admin sees the trunk and the addresses, too', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, carried);
  t.like((await gateway.admin.get(`/api/v1/admin/calls/${id}`)).body, {
    sound,
    trunk: someRoute.trunk,
    failed_trunks: ['first', 'second'],
    addresses: {
      local_signalling: '192.0.2.10:5060',
      remote_signalling: '203.0.113.5:5060',
      local_media: '192.0.2.10:25014',
      remote_media: '203.0.113.9:40120',
    },
  });
});

test('where no packets are sent nothing is made up', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway);
  const nothing = { packets: null, loss: null, jitter_ms: null, mos: null };
  t.like((await gateway.admin.get(`/api/v1/admin/calls/${id}`)).body, {
    post_dial_delay_ms: null,
    sound: { codec: null, received: nothing, sent: nothing, round_trip_ms: null, one_way: null },
    trunk: null,
    failed_trunks: [],
  });
});

test('call detail records have it all behind the columns that they had', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway, carried);
  const { bytes } = await gateway.admin.get('/api/v1/admin/call-records');
  const [names = [], cells = []] = readCsv(bytes.toString());
  const more = names.indexOf('summary') + 1;
  t.like(Object.fromEntries(names.slice(more).map((name, at) => [name, cells[more + at]])), {
    trunk_id: someRoute.trunk.id,
    trunk_name: 'carrier',
    failed_trunks: 'first second',
    post_dial_delay_ms: '1830',
    codec: 'PCMA',
    received_packets: '2410',
    received_loss: '0.0041',
    received_jitter_ms: '3.2',
    received_mos: '4.36',
    sent_packets: '2412',
    sent_loss: '0',
    sent_jitter_ms: '1.5',
    sent_mos: '4.4',
    round_trip_ms: '38.5',
    one_way: 'nothing_delivered',
    local_signalling: '192.0.2.10:5060',
    remote_signalling: '203.0.113.5:5060',
    local_media: '192.0.2.10:25014',
    remote_media: '203.0.113.9:40120',
  });
});
