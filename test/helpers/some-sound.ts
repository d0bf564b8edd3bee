/** Route and audio statistics of a call, as emitted by a line. */
import type { CallRoute } from '#machines/line.ts';
import type { MediaStatistics } from '#machines/media-statistics.ts';

export const someRoute: CallRoute = {
  trunk: { id: '5a0a7a1e-6c5e-4a5e-9c39-0a3f5c3d7f10', name: 'carrier' },
  failedTrunks: [],
  localAddress: '192.0.2.10:5060',
  remoteAddress: '203.0.113.5:5060',
  postDialDelayMs: 1_830,
};

export const someSound: MediaStatistics = {
  codec: 'PCMA',
  localAddress: '192.0.2.10:25014',
  remoteAddress: '203.0.113.9:40120',
  received: { packets: 2_410, loss: 0.0041, jitterMs: 3.2, mos: 4.36 },
  sent: { packets: 2_412, loss: 0, jitterMs: 1.5, mos: 4.4 },
  roundTripMs: 38.5,
  isHeardThere: true,
  isSentThere: true,
};
