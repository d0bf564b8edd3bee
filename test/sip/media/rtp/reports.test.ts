import test from 'ava';
import { createReports } from '#sip/media/rtp/reports.ts';
import { writeReport } from '#sip/media/rtp/rtcp.ts';

const ours = { ssrc: 7, bytes: 0, timestamp: 0 };
const theirs = { ssrc: 9, packets: 1, bytes: 160, timestamp: 0 };

const about = (highest: number, cumulativeLost = 0) => ({
  ssrc: ours.ssrc,
  fractionLost: 0,
  cumulativeLost,
  highest,
  jitter: 24,
  lastReport: 0,
  delaySince: 0,
});

test('what the far end reports is of the whole call: its loss, its jitter', (t) => {
  const reports = createReports();
  t.deepEqual(reports.ofRemote(), {
    lossThere: null,
    jitterThereMs: null,
    isHeardThere: null,
    roundTripMs: null,
  });
  reports.take(writeReport(theirs, about(1_500, 50), 0), { ...ours, packets: 500 });
  t.like(reports.ofRemote(), { lossThere: 0.1, jitterThereMs: 3, isHeardThere: true });
});

test('a far end that has a report of nobody, while we send, hears nothing', (t) => {
  const reports = createReports();
  reports.take(writeReport(theirs, null, 0), { ...ours, packets: 100 });
  t.is(reports.ofRemote().isHeardThere, null, 'what is sent may still be on its way');
  reports.take(writeReport(theirs, null, 0), { ...ours, packets: 260 });
  t.false(reports.ofRemote().isHeardThere);
});

test('a far end at which no more arrives has ceased to hear, until more arrives', (t) => {
  const reports = createReports();
  reports.take(writeReport(theirs, about(1_250), 0), { ...ours, packets: 250 });
  reports.take(writeReport(theirs, about(1_250), 0), { ...ours, packets: 300 });
  t.true(reports.ofRemote().isHeardThere, 'soon after');
  reports.take(writeReport(theirs, about(1_250), 0), { ...ours, packets: 500 });
  t.false(reports.ofRemote().isHeardThere);
  reports.take(writeReport(theirs, about(1_700), 0), { ...ours, packets: 700 });
  t.true(reports.ofRemote().isHeardThere);
});
