import test from 'ava';
import { excerptOf } from '#src/agents/excerpt.ts';
import { systemClock } from '#src/clocks.ts';

const response = (body: AsyncIterable<Uint8Array>) => {
  let discarded = 0;
  return {
    response: { status: 500, headers: {}, body, discard: () => (discarded += 1) },
    discarded: () => discarded,
  };
};

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('a short error is read whole', async (t) => {
  t.is(
    await excerptOf(response(pieces(' {"detail":', '"없음"}\n')).response, systemClock),
    '{"detail":"없음"}',
  );
});

test('a long error is cut, and the rest let go of', async (t) => {
  let isReleased = false;
  async function* endless() {
    try {
      for (;;) yield Buffer.from('x'.repeat(1_000));
    } finally {
      isReleased = true;
    }
  }
  t.is((await excerptOf(response(endless()).response, systemClock)).length, 2_048);
  t.true(isReleased);
});

test('an error that breaks off is what came of it', async (t) => {
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('the connection broke');
  }
  t.is(await excerptOf(response(broken()).response, systemClock), 'half');
});

test('an error that never ends is waited for no longer than a moment', async (t) => {
  let end: (() => void) | undefined;
  async function* slow() {
    yield Buffer.from('half');
    await new Promise<void>((resolve) => (end = resolve));
  }
  const { response: slowResponse, discarded } = response(slow());
  t.is(await excerptOf(slowResponse, systemClock), 'half');
  t.is(discarded(), 1);
  end?.();
});
