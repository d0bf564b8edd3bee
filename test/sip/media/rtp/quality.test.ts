import test from 'ava';
import { meanOpinionScore } from '#sip/media/rtp/quality.ts';

const score = (stream: Partial<Parameters<typeof meanOpinionScore>[0]>): number =>
  meanOpinionScore({ lost: 0, jitterMs: 0, roundTripMs: 0, ...stream });

test('a perfect call of G.711 has 4.4, one that loses all has 1', (t) => {
  t.true(Math.abs(score({}) - 4.4) < 0.03);
  t.true(score({ lost: 1 }) < 1.5);
});

test('loss, jitter and delay make it worse, each by itself', (t) => {
  t.true(score({ lost: 0.05 }) < score({ lost: 0.01 }));
  t.true(score({ jitterMs: 60 }) < score({ jitterMs: 5 }));
  t.true(score({ roundTripMs: 800 }) < score({ roundTripMs: 100 }));
});

test('five in a hundred lost is heard, and still a call', (t) => {
  const lossy = score({ lost: 0.05 });
  t.true(lossy > 3 && lossy < 4, String(lossy));
});
