import test from 'ava';
import { createDtmfDeduplication, dtmfOf } from '#sip/drachtio/signalling/dtmf.ts';

const relay = 'application/dtmf-relay';
const plain = 'application/dtmf';

const bodies: readonly [string, string, string | null | undefined][] = [
  [relay, 'Signal=5\r\nDuration=160\r\n', '5'],
  [relay, 'Signal= #\r\nDuration= 250', '#'],
  [relay, 'Duration=100\nsignal = b', 'B'],
  [relay, 'Signal=10', '*'],
  [relay, 'Signal=16', null],
  [relay, 'Duration=160', null],
  [`${plain}; charset=utf-8`, ' 7 \r\n', '7'],
  ['Application/DTMF', '*', '*'],
  [plain, '', null],
  [plain, '12a', null],
  ['application/media_control+xml', '5', undefined],
  ['', '', undefined],
];

for (const [type, body, key] of bodies)
  test(`an INFO "${type}" with ${JSON.stringify(body)} is ${JSON.stringify(key ?? String(key))}`, (t) => {
    t.is(dtmfOf(type, body), key);
  });

const world = () => {
  let now = 0;
  const ear = createDtmfDeduplication(() => now);
  return { isNew: ear.isNew, pass: (milliseconds: number) => void (now += milliseconds) };
};

test('a key that comes both ways counts once, however often it is pressed', (t) => {
  const { isNew, pass } = world();
  t.true(isNew('1', 'rtp'));
  pass(100);
  t.false(isNew('1', 'info'));
  t.true(isNew('1', 'info'));
  t.true(isNew('2', 'info'));
  pass(50);
  t.false(isNew('1', 'rtp'));
  t.false(isNew('2', 'rtp'));
});

test('the same key the same way is pressed again, and a late one is a new one', (t) => {
  const { isNew, pass } = world();
  t.true(isNew('1', 'rtp'));
  t.true(isNew('1', 'rtp'));
  pass(1_001);
  t.true(isNew('1', 'info'));
});
