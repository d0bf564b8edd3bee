import test from 'ava';
import { scriptedInput } from '#test/sip/simulator/network.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { comeBackMs, createPhoneNetwork } from './phone-network.ts';

type Network = ReturnType<typeof createPhoneNetwork>;

const reach = ({ lines }: Network, callId: string = crypto.randomUUID()): WatchedLine =>
  openWatched(lines.open, scriptedInput({ callId, to: '01055551234' }));

/** A call that was answered by this phone. */
const connected = (network: Network) => {
  const callId = crypto.randomUUID();
  const phone = network.phone();
  const line = reach(network, callId);
  network.until(() => phone.all('ring').length > 0);
  phone.send({ type: 'answer', call_id: callId });
  network.until(() => line.saw('line.answered'));
  return { callId, phone, line };
};

test('without a phone it rings until it is hung up; a phone that comes later rings as well', (t) => {
  const network = createPhoneNetwork();
  const line = reach(network);
  network.until(() => line.saw('line.ringing'));
  network.clock.advance(20_000);
  const phone = network.phone();
  t.deepEqual(phone.story(), ['ring']);
  line.tell({ type: 'hangUp' });
  network.until(() => line.isOver());
  t.is(line.all('line.unanswered')[0]?.cause, 'cancelled');
  t.like(phone.told[1], { type: 'ended', reason: 'cancelled' });
});

test('phones of a workspace ring together, and the first to answer has the call', (t) => {
  const network = createPhoneNetwork();
  const callId = crypto.randomUUID();
  const [one, other] = [network.phone('phone-0001'), network.phone('phone-0002')];
  const stranger = network.phone('phone-0003', 'elsewhere');
  reach(network, callId);
  network.until(() => one.all('ring').length === 1);
  t.like(one.told[0], { call_id: callId, direction: 'outbound', from: '0212345678', to: '01055551234' });
  other.send({ type: 'answer', call_id: callId });
  one.send({ type: 'answer', call_id: callId });
  t.deepEqual(other.story(), ['ring', 'answered']);
  t.deepEqual(
    one.told.slice(1).map((message) => [message.type, 'reason' in message && message.reason]),
    [
      ['ended', 'answered_elsewhere'],
      ['refused', false],
    ],
  );
  stranger.send({ type: 'answer', call_id: callId });
  t.deepEqual(stranger.told, [{ type: 'refused', code: 'call_not_found' }], 'a foreign call is not there');
});

test('a phone that is in a call answers no other one', (t) => {
  const network = createPhoneNetwork();
  const { phone } = connected(network);
  const second = crypto.randomUUID();
  reach(network, second);
  network.until(() => phone.all('ring').length === 2);
  phone.send({ type: 'answer', call_id: second });
  t.deepEqual(phone.told.at(-1), { type: 'refused', code: 'busy' });
  phone.send({ type: 'dial', to: '0212345678' });
  t.deepEqual(phone.told.at(-1), { type: 'refused', code: 'busy' });
  phone.send({ type: 'decline', call_id: second });
  t.like(phone.told.at(-1), { type: 'ended', call_id: second, reason: 'declined' });
});

test('a pause of the agent is told, and its end, once each', (t) => {
  const network = createPhoneNetwork();
  const { callId, phone, line } = connected(network);
  line.say('Good morning, how are you today?');
  network.clock.advance(300);
  line.tell({ type: 'pauseTalking' });
  line.tell({ type: 'pauseTalking' });
  network.clock.advance(300);
  line.tell({ type: 'resumeTalking' });
  network.until(() => line.saw('line.played'));
  t.deepEqual(phone.story().slice(2), ['agent_says', 'agent_pauses', 'agent_goes_on']);
  t.like(phone.all('agent_pauses')[0], { call_id: callId });
  line.say('Good morning, how are you today?');
  line.tell({ type: 'pauseTalking' });
  line.tell({ type: 'stopTalking' });
  t.deepEqual(phone.story().slice(5), ['agent_says', 'agent_pauses', 'agent_stops', 'agent_goes_on']);
});

test('what the agent does is told to the phone that has the call', (t) => {
  const network = createPhoneNetwork();
  const { callId, phone, line } = connected(network);
  line.say('Good morning.');
  line.say('How are you today?');
  network.until(() => phone.all('agent_says').length === 2);
  t.like(phone.all('agent_says')[0], { call_id: callId, utterance: 1, text: 'Good morning.' });
  t.deepEqual(phone.all('agent_stops'), [], 'one utterance after the other is no interruption');
  line.tell({ type: 'stopTalking' });
  line.tell({ type: 'press', keys: '1w2' });
  t.is(phone.all('agent_stops').length, 1);
  t.deepEqual(
    phone.all('keys').map(({ keys }) => keys),
    ['12'],
  );
  line.tell({ type: 'hangUp' });
  network.until(() => line.isOver());
  t.like(phone.told.at(-1), { type: 'ended', reason: 'other_side' });
});

test('what was heard of an utterance is what the phone has reported, when it speaks aloud', (t) => {
  const network = createPhoneNetwork();
  const { phone, line } = connected(network);
  phone.send({ type: 'voice', on: true });
  line.say('One two three four.');
  network.clock.advance(4_000);
  t.false(line.saw('line.played'), 'its end is awaited');
  phone.send({ type: 'played', utterance: 1, heard_chars: 7 });
  line.tell({ type: 'stopTalking' });
  phone.send({ type: 'played', utterance: 1, heard_chars: 19 });
  network.until(() => line.saw('line.played'));
  t.like(line.all('line.played')[0], { text: 'One two', whole: false });

  line.say('Five six.');
  phone.send({ type: 'played', utterance: 2, heard_chars: 9 });
  network.until(() => line.all('line.played').length === 2);
  t.like(line.all('line.played')[1], { text: 'Five six.', whole: true });

  line.say('Seven eight.');
  phone.send({ type: 'voice', on: false });
  phone.send({ type: 'played', utterance: 3, heard_chars: 5 });
  network.until(() => line.all('line.played').length === 3);
  t.like(line.all('line.played')[2], { text: 'Seven eight.', whole: true });

  line.say('Nothing is reported.');
  phone.send({ type: 'voice', on: true });
  network.clock.advance(2_000);
  t.is(line.all('line.played').length, 3, 'what sounds already is heard aloud as well');
  network.until(() => line.all('line.played').length === 4, 15_000);
  t.like(line.all('line.played')[3], { text: 'Nothing is reported.', whole: true });
  t.deepEqual(line.breaches, []);
});

test('a person who begins to speak interrupts at once; the words take as long as they take', (t) => {
  const network = createPhoneNetwork();
  const { phone, line } = connected(network);
  phone.send({ type: 'speaking', on: true });
  const begun = network.clock.now();
  network.until(() => line.saw('line.speech'));
  t.true(network.clock.now() - begun < 20);
  network.clock.advance(10_000);
  phone.send({ type: 'say', text: 'I have been typing this for a long time.' });
  network.until(() => line.saw('line.heard'));
  t.true(network.clock.now() - begun < 10_500, 'the time it took to type counts');
  t.is(line.all('line.heard')[0]?.startedAt, begun);

  phone.send({ type: 'speaking', on: true });
  phone.send({ type: 'speaking', on: false });
  const later = network.clock.now();
  phone.send({ type: 'say', text: 'This was another thought.' });
  phone.send({ type: 'say', text: 'And one more.' });
  network.until(() => line.all('line.heard').length === 3);
  t.true((line.all('line.heard')[1]?.startedAt ?? 0) >= later);
  t.is(line.all('line.heard')[2]?.text, 'And one more.');
  t.deepEqual(line.breaches, []);
});

test('who says more than anybody could is told so', (t) => {
  const network = createPhoneNetwork();
  const { phone, line } = connected(network);
  for (let count = 0; count < 60; count += 1) phone.send({ type: 'say', text: `Number ${count}.` });
  const refused = phone.all('refused');
  t.true(refused.length > 0);
  t.true(refused.every(({ code }) => code === 'too_much'));
  network.until(() => line.all('line.heard').length === 60 - refused.length, 200_000);
  t.is(line.all('line.heard')[1]?.text, 'Number 1.');
});

test('a phone that is lost in a call may come back to it', (t) => {
  const network = createPhoneNetwork();
  const { callId, phone, line } = connected(network);
  line.say('This is a rather long sentence, which takes a few seconds until it was said to its end.');
  phone.lose();
  network.clock.advance(comeBackMs / 2);
  const back = network.phone();
  t.like(back.told[0], { type: 'answered', call_id: callId });
  t.like(back.told[1], { type: 'agent_says', utterance: 1 });
  network.clock.advance(comeBackMs);
  t.false(line.isOver());
  back.send({ type: 'hang_up' });
  network.until(() => line.isOver());
  t.is(line.all('line.ended')[0]?.by, 'counterparty');
  t.like(back.told.at(-1), { type: 'ended', reason: 'hung_up' });
});

test('a phone that does not come back has hung up', (t) => {
  const network = createPhoneNetwork();
  const { phone, line } = connected(network);
  phone.lose();
  network.clock.advance(comeBackMs - 100);
  t.false(line.isOver());
  network.until(() => line.isOver(), 1_000);
  t.is(line.all('line.ended')[0]?.by, 'counterparty');
  t.deepEqual(network.phone().told, []);
});

test('a name belongs to the browser that took it last', (t) => {
  const network = createPhoneNetwork();
  const { callId, phone } = connected(network);
  const back = network.phone();
  t.true(phone.wasReplaced());
  t.like(back.told[0], { type: 'answered', call_id: callId });
  phone.send({ type: 'hang_up' });
  phone.lose();
  network.clock.advance(comeBackMs * 2);
  t.deepEqual(back.story(), ['answered'], 'the old connection has nothing to say any more');
});

test('a number is dialled, and the call is in the hands of the phone when it is taken', async (t) => {
  const network = createPhoneNetwork();
  let line: WatchedLine | undefined;
  await network.lines.start(async ({ callId, from, to }) => {
    line = openWatched(network.lines.open, scriptedInput({ callId, from, to, direction: 'inbound' }));
    return { accepted: true };
  });
  const phone = network.phone();
  phone.send({ type: 'dial', to: '0212345678' });
  network.until(() => line?.saw('line.answered') === true);
  t.like(phone.told[0], { type: 'answered', direction: 'inbound', to: '0212345678', from: '01055559999' });
  line?.say('Welcome.');
  network.until(() => phone.all('agent_says').length === 1);
  t.false(line?.saw('line.answered_by'));
});

test('a number that is not taken is refused, and one that was given up is not answered', async (t) => {
  const network = createPhoneNetwork();
  const phone = network.phone();
  network.verdict = { accepted: false, because: 'no_agent_endpoint' };
  phone.send({ type: 'dial', to: '0212345678' });
  await new Promise(setImmediate);
  t.deepEqual(phone.told, [{ type: 'refused', code: 'no_agent_endpoint' }]);

  network.verdict = null;
  let line: WatchedLine | undefined;
  await network.lines.start(async ({ callId, to }) => {
    line = openWatched(network.lines.open, scriptedInput({ callId, to, direction: 'inbound' }));
    return { accepted: true };
  });
  phone.send({ type: 'dial', to: '0212345678' });
  phone.send({ type: 'hang_up' });
  network.until(() => line?.isOver() === true);
  t.is(line?.all('line.unanswered')[0]?.cause, 'cancelled');
});

test('who gives up and dials again gets the second call alone', async (t) => {
  const network = createPhoneNetwork();
  const called: WatchedLine[] = [];
  await network.lines.start(async ({ callId, to }) => {
    called.push(openWatched(network.lines.open, scriptedInput({ callId, to, direction: 'inbound' })));
    return { accepted: true };
  });
  const phone = network.phone();
  phone.send({ type: 'dial', to: '0212345678' });
  phone.send({ type: 'hang_up' });
  phone.send({ type: 'dial', to: '0298765432' });
  network.until(() => called[1]?.saw('line.answered') === true);
  t.true(called[0]?.saw('line.unanswered'));
  t.deepEqual(
    phone.all('answered').map(({ to }) => to),
    ['0298765432'],
  );
});

test('a call that is over before it was taken leaves the phone free', async (t) => {
  const network = createPhoneNetwork();
  await network.lines.start(async ({ callId, to }) => {
    openWatched(network.lines.open, scriptedInput({ callId, to, direction: 'inbound' })).close();
    return { accepted: true };
  });
  const phone = network.phone();
  phone.send({ type: 'dial', to: '0212345678' });
  await new Promise(setImmediate);
  t.deepEqual(phone.told, [{ type: 'refused', code: 'failed' }]);
});

test('closing lets go of every timer', async (t) => {
  const network = createPhoneNetwork();
  const { phone } = connected(network);
  phone.lose();
  await network.close();
  t.is(network.clock.pending(), 0);
});
