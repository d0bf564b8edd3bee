import test from 'ava';
import { middleNtp, parseRtcp, writeGoodbye, writeReport } from '#sip/media/rtp/rtcp.ts';

const sent = { ssrc: 7, packets: 100, bytes: 16_000, timestamp: 16_000 };
const heard = {
  ssrc: 9,
  fractionLost: 64,
  cumulativeLost: 12,
  highest: 65_540,
  jitter: 80,
  lastReport: 123_456,
  delaySince: 65_536,
};

test('a report about a stream is read by who sends that stream', (t) => {
  const wallMs = Date.UTC(2026, 0, 1, 0, 0, 0, 500);
  const report = writeReport(sent, heard, wallMs);
  t.is(report.length % 4, 0);
  t.deepEqual(parseRtcp(report, 9), {
    senderReport: middleNtp(wallMs),
    about: [
      {
        fractionLost: 64,
        cumulativeLost: 12,
        highest: 65_540,
        jitter: 80,
        lastReport: 123_456,
        delaySince: 65_536,
      },
    ],
    isReport: true,
    isGoodbye: false,
  });
  t.deepEqual(parseRtcp(report, 10)?.about, []);
});

test('who has heard nothing reports what it has sent', (t) => {
  t.like(parseRtcp(writeReport(sent, null, 1_000), 9), { about: [], isGoodbye: false });
});

test('a goodbye is read, also behind a report', (t) => {
  t.like(parseRtcp(writeGoodbye(7), 1), { isGoodbye: true, isReport: false });
  t.true(parseRtcp(Buffer.concat([writeReport(sent, null, 1_000), writeGoodbye(7)]), 1)?.isGoodbye);
});

test('a second of NTP is 65,536 of its units', (t) => {
  t.is((middleNtp(5_250) - middleNtp(4_000)) >>> 0, 65_536 + 16_384);
});

test('what is cut, of another version or longer than it is, is no report', (t) => {
  const report = writeReport(sent, heard, 1_000);
  for (let length = 0; length < report.length; length += 1)
    t.true(
      [undefined, 52].includes(parseRtcp(report.subarray(0, length), 9) === undefined ? undefined : length),
    );
  const other = Buffer.from(report);
  other[0] = 0x41;
  t.is(parseRtcp(other, 9), undefined);
  const countsTooMany = Buffer.from(report);
  countsTooMany[0] = 0x80 | 31;
  t.is(parseRtcp(countsTooMany, 9), undefined);
});
