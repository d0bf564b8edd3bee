import test from 'ava';
import { askChannelFigures, readChannelFigures } from '#sip/drachtio/media/channel-figures.ts';

test('what FreeSWITCH says of a channel is read: who, where, how many, how much was lost', (t) => {
  const figures = readChannelFigures('PCMA|192.0.2.1|54246|198.51.100.7|60451|809|854|0.05\n');
  t.like(figures, {
    codec: 'PCMA',
    localAddress: '192.0.2.1:54246',
    remoteAddress: '198.51.100.7:60451',
    sent: { packets: 854, loss: null, jitterMs: null, mos: null },
  });
  t.is(figures?.received.packets, 809);
  // One of twenty: five in a hundred of what was sent, where FreeSWITCH counts by what arrived.
  t.true(Math.abs((figures?.received.loss ?? 0) - 0.0476) < 0.001);
  t.true((figures?.received.mos ?? 0) > 3 && (figures?.received.mos ?? 5) < 4);
});

test('loss that FreeSWITCH has not worked out yet is not known', (t) => {
  const figures = readChannelFigures('PCMU|127.0.0.1|2|127.0.0.1|4|200|200|0.00');
  t.deepEqual(figures?.received, { packets: 200, loss: null, jitterMs: null, mos: null });
});

test('of a channel without sound, and of one that is gone, nothing is made up', (t) => {
  t.like(readChannelFigures('|||||||'), { codec: null, localAddress: null, remoteAddress: null });
  t.is(readChannelFigures('|||||||')?.received.packets, null);
  t.is(readChannelFigures('-ERR No such channel!\n'), null);
});

test('the figures are written before they are said', async (t) => {
  const asked: string[] = [];
  await askChannelFigures('a-channel', {
    async api(command) {
      asked.push(command.split(' ').slice(0, 2).join(' '));
      return '';
    },
  });
  t.deepEqual(asked, ['uuid_set_media_stats a-channel', 'eval uuid:a-channel']);
});
