import test from 'ava';
import { createRemote } from '#sip/media/rtp/remote.ts';

const agreed = { address: '192.0.2.1', port: 4_000 };
const behindNat = { address: '198.51.100.9', port: 61_000 };
const stranger = { address: '203.0.113.66', port: 5_000 };

const setUp = () => {
  const remote = createRemote();
  remote.agreedOn(agreed);
  return remote;
};

test('sound goes where it was agreed until some comes from elsewhere', (t) => {
  const remote = setUp();
  t.deepEqual(remote.address(), agreed);
  t.true(remote.admits(behindNat, 0));
  t.like(remote.address(), behindNat);
});

test('a stranger is not heard beside the other party, nor sent anything', (t) => {
  const remote = setUp();
  remote.admits(agreed, 0);
  t.false(remote.admits(stranger, 20));
  t.like(remote.address(), agreed);
  remote.admits(agreed, 480);
  t.false(remote.admits(stranger, 900));
});

test('a stranger who comes first gives way to the address that was agreed on', (t) => {
  const remote = setUp();
  t.true(remote.admits(stranger, 0));
  t.true(remote.admits(agreed, 20));
  t.like(remote.address(), agreed);
  t.false(remote.admits(stranger, 40));
});

test('a party that moves without a word is heard again after its silence', (t) => {
  const remote = setUp();
  remote.admits(behindNat, 0);
  t.false(remote.admits({ ...behindNat, port: 61_002 }, 500));
  t.true(remote.admits({ ...behindNat, port: 61_002 }, 501));
  t.is(remote.address().port, 61_002);
});

test('a session refresh keeps where the sound goes, a new description begins anew', (t) => {
  const remote = setUp();
  remote.admits(behindNat, 0);
  remote.agreedOn({ ...agreed });
  t.like(remote.address(), behindNat);
  remote.agreedOn({ ...agreed, port: 4_002 });
  t.is(remote.address().port, 4_002);
});
