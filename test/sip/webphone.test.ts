/** Telephones in the browser. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { WebSocket } from 'ws';
import { listening, webPhones } from '#config/policy.ts';
import type { MediaMeans } from '#sip/audio/call-media.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import type { RecognitionEvent, Recognizer } from '#sip/audio/speech.ts';
import { longestText, parseFromPhone } from '#sip/webphone/phone-messages.ts';
import { createPhoneSocket } from '#sip/webphone/phone-socket.ts';
import { createPhoneAudio, isAudioFrame } from '#sip/webphone/phone-audio.ts';
import { phoneSampleRate, soundLeadMs } from '#src/domain/web-phone.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { until } from '#test/helpers/until.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { scriptedInput } from './simulator/network.ts';
import { createTape } from './simulator/recording-network.ts';
import { createLinkedNetworks } from './webphone/linked-networks.ts';
import { comeBackMs, createPhoneNetwork } from './webphone/phone-network.ts';
import { createSoundingPhone, soundFrame } from './webphone/sounding-phone.ts';

// Web phones

type Network = ReturnType<typeof createPhoneNetwork>;

const reach = ({ lines }: Network, callId: string = crypto.randomUUID()): WatchedLine =>
  openWatched(lines.open, scriptedInput({ callId, to: '01055551234' }));

/** A call that this phone answered. */
const connected = (network: Network) => {
  const callId = crypto.randomUUID();
  const phone = network.phone();
  const line = reach(network, callId);
  network.until(() => phone.all('ring').length > 0);
  phone.send({ type: 'answer', call_id: callId });
  network.until(() => line.saw('line.answered'));
  return { callId, phone, line };
};

test.serial('rings without a connected phone until the hangup, and on a phone that connects later', (t) => {
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

test.serial('phones of a workspace ring together, and the first to answer gets the call', (t) => {
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

test.serial('a phone in a call cannot answer another one', (t) => {
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

test.serial('sends each agent pause and its end to the phone once', (t) => {
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

test.serial('sends agent actions to the phone that has the call', (t) => {
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

test.serial('sends what was heard of the last words of the agent when the call ends', (t) => {
  for (const hangsUp of ['phone', 'agent']) {
    const network = createPhoneNetwork();
    const { phone, line } = connected(network);
    line.say('One two three four five six seven eight.');
    network.clock.advance(700);
    if (hangsUp === 'agent') line.tell({ type: 'hangUp' });
    else phone.send({ type: 'hang_up' });
    network.until(() => line.isOver());
    t.deepEqual(phone.story().slice(2), ['agent_says', 'agent_stops', 'ended']);
    t.deepEqual(phone.all('agent_stops')[0]?.heard, { utterance: 1, text: line.all('line.played')[0]?.text });
    t.regex(line.all('line.played')[0]?.text ?? '', /^One two/);
    t.deepEqual(line.breaches, []);
  }
});

test.serial('uses the heard part that the phone reports when it speaks aloud', (t) => {
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
  t.deepEqual(phone.all('agent_stops')[0]?.heard, { utterance: 1, text: 'One two' });

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

test.serial('a person who begins to type interrupts at once, and the words take their natural time', (t) => {
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

test.serial('rejects a text that is longer than anyone could say', (t) => {
  const network = createPhoneNetwork();
  const { phone, line } = connected(network);
  for (let count = 0; count < 60; count += 1) phone.send({ type: 'say', text: `Number ${count}.` });
  const refused = phone.all('refused');
  t.true(refused.length > 0);
  t.true(refused.every(({ code }) => code === 'too_much'));
  network.until(() => line.all('line.heard').length === 60 - refused.length, 200_000);
  t.is(line.all('line.heard')[1]?.text, 'Number 1.');
});

test.serial('keeps a call for a phone that loses its connection and returns', (t) => {
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

test.serial('ends the call of a phone that does not return', (t) => {
  const network = createPhoneNetwork();
  const { phone, line } = connected(network);
  phone.lose();
  network.clock.advance(comeBackMs - 100);
  t.false(line.isOver());
  network.until(() => line.isOver(), 1_000);
  t.is(line.all('line.ended')[0]?.by, 'counterparty');
  t.deepEqual(network.phone().told, []);
});

/** The call of a web phone, whose line another gateway resumes. */
const resumedElsewhere = (arrange: (there: Network) => void = () => {}) => {
  const here = createPhoneNetwork();
  const { callId } = connected(here);
  const { farEnd } = here.lines.checkpoint(callId);
  const there = createPhoneNetwork(here.clock);
  arrange(there);
  const line = openWatched(
    (input, emit) =>
      there.lines.resume(
        input,
        { legs: [], farEnd, connectedWith: null, heard: null, formerSends: false },
        emit,
      ),
    scriptedInput({ callId, to: '01055551234' }),
  );
  there.until(() => line.saw('line.adopted') || line.isOver());
  return { callId, farEnd, there, line };
};

test.serial('the call of a phone continues at another gateway, to which the phone connects later', (t) => {
  const { callId, farEnd, there, line } = resumedElsewhere();
  t.deepEqual(farEnd, { is: 'phone', name: 'phone-0001', hasSound: false });
  there.clock.advance(webPhones.resumeMs - 100);
  const phone = there.phone();
  t.like(phone.told, [{ type: 'answered', call_id: callId, sound: false }]);
  phone.send({ type: 'say', text: 'I am still here.' });
  there.until(() => line.saw('line.heard'));
  there.clock.advance(webPhones.resumeMs);
  phone.send({ type: 'hang_up' });
  there.until(() => line.isOver());
  t.is(line.all('line.ended')[0]?.by, 'counterparty');
});

test.serial('a connected phone gets its call from the gateway that resumes it', (t) => {
  let phone: ReturnType<Network['phone']> | undefined;
  const { callId, line } = resumedElsewhere((there) => void (phone = there.phone()));
  t.like(phone?.told, [{ type: 'answered', call_id: callId }]);
  t.false(line.isOver());
});

test.serial('ends a resumed call whose phone does not connect, or has another call', (t) => {
  const { there, line } = resumedElsewhere();
  there.clock.advance(webPhones.resumeMs - 100);
  t.false(line.isOver());
  there.until(() => line.isOver(), 1_000);
  t.is(line.all('line.ended')[0]?.by, 'counterparty');

  const busy = resumedElsewhere((other) => void connected(other));
  busy.there.until(() => busy.line.isOver());
  t.is(busy.line.all('line.ended')[0]?.by, 'counterparty');
});

test.serial('a phone is not told that its call is handed over', (t) => {
  const network = createPhoneNetwork();
  const { phone, line } = connected(network);
  line.release();
  network.clock.advance(2 * comeBackMs);
  t.deepEqual(phone.story(), ['ring', 'answered']);
  phone.send({ type: 'dial', to: '0212345678' });
  t.notDeepEqual(phone.told.at(-1), { type: 'refused', code: 'busy' });
});

test.serial('moves a phone name to the browser that claimed it last', (t) => {
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

test.serial('dials a number and connects the phone when the call is answered', async (t) => {
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

test.serial('rejects an invalid number and does not answer a cancelled call', async (t) => {
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

test.serial('sends the phone only the second call after cancelling and dialling again', async (t) => {
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

test.serial('a call that ends before it is answered frees the phone', async (t) => {
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

test.serial('clears every timer when web phones are closed', async (t) => {
  const network = createPhoneNetwork();
  const { phone } = connected(network);
  phone.lose();
  await network.close();
  t.is(network.clock.pending(), 0);
});

// Several gateways

/** A call of the other gateway that rings at this page. */
const ringingThere = (networks: ReturnType<typeof createLinkedNetworks>) => {
  const callId = crypto.randomUUID();
  const page = networks.page();
  const line = reach(networks.there, callId);
  networks.there.until(() => page.story().includes('ring'));
  return { callId, page, line };
};

/** The same, answered. */
const answeredThere = (networks: ReturnType<typeof createLinkedNetworks>) => {
  const ringing = ringingThere(networks);
  ringing.page.send({ type: 'answer', call_id: ringing.callId });
  networks.there.until(() => ringing.line.saw('line.answered'));
  return ringing;
};

test.serial('a call rings at the pages of every gateway, and the first to answer gets it', (t) => {
  const networks = createLinkedNetworks();
  const other = networks.there.phone('phone-0002');
  const first = ringingThere(networks);
  first.page.send({ type: 'answer', call_id: first.callId });
  t.deepEqual(first.page.story(), ['ring', 'answered']);
  t.like(other.told.at(-1), { type: 'ended', call_id: first.callId, reason: 'answered_elsewhere' });
  first.page.send({ type: 'hang_up' });
  networks.there.until(() => first.line.isOver());

  const second = crypto.randomUUID();
  reach(networks.there, second);
  networks.there.until(() => other.all('ring').length === 2);
  other.send({ type: 'answer', call_id: second });
  t.like(first.page.told.at(-1), { type: 'ended', call_id: second, reason: 'answered_elsewhere' });
  first.page.send({ type: 'answer', call_id: second });
  t.like(first.page.told.at(-1), { type: 'refused', code: 'call_not_found' });
});

test.serial('a page that opens while a call rings at another gateway rings, and declines it', (t) => {
  const networks = createLinkedNetworks();
  const line = reach(networks.there);
  networks.there.until(() => line.saw('line.ringing'));
  const page = networks.page();
  const [ring] = page.told;
  assert(ring?.type === 'ring');
  page.send({ type: 'decline', call_id: ring.call_id });
  networks.there.until(() => line.isOver());
  t.is(line.all('line.unanswered')[0]?.cause, 'declined');
  t.like(page.told.at(-1), { type: 'ended', reason: 'declined' });
});

test.serial('exchanges words with the gateway of the call', (t) => {
  const networks = createLinkedNetworks();
  const { page, line, callId } = answeredThere(networks);
  line.say('Good morning.');
  t.like(page.told.at(-1), { type: 'agent_says', call_id: callId, text: 'Good morning.' });
  page.send({ type: 'say', text: 'Hello there.' });
  networks.there.until(() => line.saw('line.heard'));
  t.is(line.all('line.heard')[0]?.text, 'Hello there.');
  page.send({ type: 'digit', digit: '5' });
  networks.there.until(() => line.saw('line.digit'));
});

test.serial('a phone in a call of one gateway neither answers nor dials at another', async (t) => {
  const networks = createLinkedNetworks();
  const { page } = answeredThere(networks);
  const second = crypto.randomUUID();
  reach(networks.here, second);
  networks.here.until(() => page.story().at(-1) === 'ring');
  page.send({ type: 'answer', call_id: second });
  t.deepEqual(page.told.at(-1), { type: 'refused', code: 'busy' });
  page.send({ type: 'dial', to: '0212345678' });
  t.deepEqual(page.told.at(-1), { type: 'refused', code: 'busy' });
  page.send({ type: 'hang_up' });
  t.like(page.told.at(-1), { type: 'ended', reason: 'hung_up' });
  networks.here.verdict = { accepted: false, because: 'number_not_found' };
  page.send({ type: 'dial', to: '0212345678' });
  await nextTurn();
  t.deepEqual(page.told.at(-1), { type: 'refused', code: 'number_not_found' });
  page.send({ type: 'answer', call_id: second });
  t.like(page.told.at(-1), { type: 'answered', call_id: second });
});

test.serial('stops ringing while the gateway of the call cannot be reached', (t) => {
  const networks = createLinkedNetworks();
  const { page, callId } = ringingThere(networks);
  page.cut();
  t.like(page.told.at(-1), { type: 'ended', call_id: callId, reason: 'cancelled' });
  page.restore();
  t.like(page.told.at(-1), { type: 'ring', call_id: callId });
});

test.serial('keeps a call whose gateway is reached again soon', (t) => {
  const networks = createLinkedNetworks();
  const { page, line, callId } = answeredThere(networks);
  page.cut();
  networks.clock.advance(comeBackMs - 1_000);
  page.restore();
  t.like(page.told.at(-1), { type: 'answered', call_id: callId });
  networks.clock.advance(comeBackMs);
  t.false(line.isOver());
  t.false(page.story().includes('ended'));
});

test.serial('ends a call whose gateway is not reached again', (t) => {
  const networks = createLinkedNetworks();
  const { page, callId } = answeredThere(networks);
  page.cut();
  networks.clock.advance(comeBackMs);
  t.like(page.told.at(-1), { type: 'ended', call_id: callId, reason: 'other_side' });
  const dialled = page.told.length;
  page.send({ type: 'dial', to: '0212345678' });
  t.is(page.told.length, dialled, 'the phone is free');
});

test.serial('a page with another call refuses a call that a gateway resumes', (t) => {
  const networks = createLinkedNetworks();
  const { page, line, callId } = answeredThere(networks);
  page.cut();
  networks.clock.advance(comeBackMs);
  const other = reach(networks.here);
  networks.here.until(() => page.told.at(-1)?.type === 'ring');
  const ring = page.told.at(-1);
  page.send({ type: 'answer', call_id: ring?.type === 'ring' ? ring.call_id : '' });
  networks.here.until(() => other.saw('line.answered'));
  const told = page.told.length;
  page.restore();
  networks.there.until(() => line.isOver());
  t.is(line.all('line.ended')[0]?.by, 'counterparty');
  t.false(page.told.slice(told).some((message) => 'call_id' in message && message.call_id === callId));
  t.false(other.isOver());
});

test.serial('a page that reconnects to another gateway returns to its call', (t) => {
  const networks = createLinkedNetworks();
  const { page, line, callId } = answeredThere(networks);
  page.close();
  networks.clock.advance(1_000);
  t.like(networks.there.phone().told, [{ type: 'answered', call_id: callId }]);
  networks.clock.advance(comeBackMs);
  t.false(line.isOver());
});

test.serial('the page that was opened last has the phone, in any order of the connections', (t) => {
  const networks = createLinkedNetworks();
  const page = networks.page();
  networks.clock.advance(1);
  const later = networks.there.phone();
  t.deepEqual([page.wasReplaced(), later.wasReplaced()], [true, false]);
  page.restore();
  t.false(later.wasReplaced());
  reach(networks.there);
  networks.there.until(() => later.all('ring').length === 1);
  t.deepEqual(page.story(), []);
});

test.serial('clears its timer when the page closes', (t) => {
  const networks = createLinkedNetworks();
  const { page } = answeredThere(networks);
  page.cut();
  page.close();
  networks.clock.advance(2 * comeBackMs);
  t.false(page.story().includes('ended'));
});

// Phone messages

test('accepts valid phone messages', (t) => {
  t.deepEqual(parseFromPhone('{"type":"say","text":" 네, 안녕하세요. ","more":1}'), {
    type: 'say',
    text: '네, 안녕하세요.',
  });
  t.deepEqual(parseFromPhone('{"type":"digit","digit":"#"}'), { type: 'digit', digit: '#' });
  t.deepEqual(parseFromPhone('{"type":"hang_up"}'), { type: 'hang_up' });
});

for (const [what, text] of [
  ['no JSON', 'hello'],
  ['no object', '[]'],
  ['nothing', 'null'],
  ['an unknown type', '{"type":"explode"}'],
  ['an empty text', '{"type":"say","text":"  "}'],
  ['an unlimited text', JSON.stringify({ type: 'say', text: 'x'.repeat(longestText + 1) })],
  ['a text with NUL', String.raw`{"type":"say","text":"a\u0000b"}`],
  ['a text with half of a surrogate pair', String.raw`{"type":"say","text":"a\ud800b"}`],
  ['a number with NUL', String.raw`{"type":"dial","to":"0\u0000"}`],
  ['two digits', '{"type":"digit","digit":"12"}'],
  ['a call without an id', '{"type":"answer","call_id":"1"}'],
  ['a negative count', '{"type":"played","utterance":1,"heard_chars":-1}'],
] as const)
  test(`rejects ${what} as a phone message`, (t) => t.is(parseFromPhone(text), undefined));

// Phone audio

const numbers = { burstMs: 1_000, stallMs: 10_000 };
const lead = (soundLeadMs * phoneSampleRate) / 1_000;
const second = phoneSampleRate;

const createPhoneSoundWorld = async (t: ExecutionContext) => {
  const clock = createOrderedClock();
  const sound = createPhoneAudio(numbers, clock);
  const seen = { sent: 0, longest: 0, flushes: 0, heard: 0, lost: 0, played: 0 };
  const speaker = {
    play(frame: Uint8Array): void {
      seen.sent += frame.length / 2;
      seen.longest = Math.max(seen.longest, frame.length);
    },
    flush: (): void => void (seen.flushes += 1),
  };
  sound.connectTo(speaker);
  const path = await sound.endpoint.connect(
    { onAudio: ({ length }) => (seen.heard += length), onLost: () => (seen.lost += 1) },
    16_000,
  );
  t.teardown(path.close);
  return { clock, sound, seen, speaker, path };
};

test.serial(
  'sends no audio before the phone can play, then only as much as the phone buffers, in frames',
  async (t) => {
    const { sound, seen, path } = await createPhoneSoundWorld(t);
    path.send(new Int16Array(second));
    path.whenPlayed(() => (seen.played += 1));
    t.is(seen.sent, 0);
    t.is(sound.hear(soundFrame(0)), undefined);
    t.deepEqual([seen.sent, seen.longest], [lead, 640]);
    sound.hear(soundFrame(320));
    t.is(seen.sent, lead + 320);
    t.is(path.waiting(), second - 320);
    for (let played = 640; played < second; played += 320) sound.hear(soundFrame(played));
    t.deepEqual([seen.sent, seen.played], [second, 0]);
    sound.hear(soundFrame(second));
    t.deepEqual([path.waiting(), seen.played], [0, 1]);
  },
);

test.serial('withdraws unplayed audio on both sides, and the phone reports its amount', async (t) => {
  const { sound, seen, path } = await createPhoneSoundWorld(t);
  path.send(new Int16Array(second));
  path.whenPlayed(() => (seen.played += 1));
  sound.hear(soundFrame(0));
  sound.hear(soundFrame(960));
  t.is(path.takeBack(), second - 960);
  t.is(seen.flushes, 1);
  t.is(path.waiting(), 0);
  const sent = lead + 960;
  // The phone continued to play until it received the command.
  t.is(sound.hear(soundFrame(1_280)), undefined);
  path.send(new Int16Array(second));
  t.is(seen.sent, sent + lead, 'what was taken back is in nobody’s way');
  t.is(sound.flushed(sent - 1_280), undefined);
  t.is(sound.flushed(1), 'invalid_sound', 'it cannot have thrown away more than there was');
  sound.hear(soundFrame(1_600));
  t.is(path.waiting(), second - 320);
  t.is(seen.played, 0, 'what was taken back is never played');
  t.is(path.takeBack(), second - 320);
  t.is(path.takeBack(), 0);
  t.is(seen.flushes, 2, 'a phone with nothing to play is not told');
});

test.serial('rejects a phone that counts unsent audio or counts backwards', async (t) => {
  const { sound, seen, path } = await createPhoneSoundWorld(t);
  t.is(sound.hear(soundFrame(1)), 'invalid_sound');
  path.send(new Int16Array(second));
  sound.hear(soundFrame(0));
  t.is(sound.hear(soundFrame(lead + 1)), 'invalid_sound');
  sound.hear(soundFrame(640));
  t.is(sound.hear(soundFrame(320)), 'invalid_sound');
  t.is(sound.hear(soundFrame(0xff_ff_ff_ff)), 'invalid_sound');
  t.is(seen.heard, 640, 'nothing of it is listened to');
  t.is(sound.flushed(1), 'invalid_sound', 'there was no flush');
});

test.serial('a frame has a fixed length', (t) => {
  t.true(isAudioFrame(soundFrame(0)));
  for (const length of [0, 1, 640, 643, 645, 16_384]) t.false(isAudioFrame(new Uint8Array(length)));
});

test.serial('ignores audio faster than real time, except after a hiccup', async (t) => {
  const { clock, sound, seen } = await createPhoneSoundWorld(t);
  const verdicts = Array.from({ length: 60 }, () => sound.hear(soundFrame(0)));
  t.deepEqual(
    [verdicts.indexOf('too_much'), verdicts.filter((verdict) => verdict === 'too_much').length],
    [50, 10],
  );
  t.is(seen.heard, second);
  clock.advance(200);
  t.is(sound.hear(soundFrame(0)), undefined);
});

test.serial('reports lost audio if a phone stops sending audio', async (t) => {
  const { clock, sound, seen, path } = await createPhoneSoundWorld(t);
  clock.advance(9_000);
  sound.hear(soundFrame(0));
  clock.advance(9_000);
  t.is(seen.lost, 0);
  clock.advance(1_001);
  t.is(seen.lost, 1);
  path.close();
  clock.advance(60_000);
  t.is(seen.lost, 1);
});

test.serial('continues with unsent audio after reconnection once the phone can play', async (t) => {
  const { sound, seen, speaker, path } = await createPhoneSoundWorld(t);
  path.send(new Int16Array(second));
  sound.hear(soundFrame(0));
  sound.connectTo(null);
  t.is(path.waiting(), second - lead);
  sound.connectTo(speaker);
  t.is(seen.sent, lead);
  t.is(sound.hear(soundFrame(0)), undefined);
  t.is(seen.sent, 2 * lead);
});

test.serial('samples keep their byte order at any memory offset', async (t) => {
  const { sound, path } = await createPhoneSoundWorld(t);
  const other = createPhoneAudio(numbers, createOrderedClock());
  const heard: Int16Array[] = [];
  const opened = await other.endpoint.connect(
    { onAudio: (samples) => heard.push(samples), onLost: () => {} },
    16_000,
  );
  t.teardown(opened.close);
  const odd = new Uint8Array(645);
  odd.set(soundFrame(0, -2), 1);
  other.connectTo({ play: () => {}, flush: () => {} });
  other.hear(odd.subarray(1));
  other.hear(Buffer.from(odd.subarray(1)));
  other.hear(Buffer.from(odd).subarray(1));
  t.deepEqual(
    heard,
    Array.from({ length: 3 }, () => new Int16Array(320).fill(-2)),
  );
  const frames: number[][] = [];
  sound.connectTo({ play: (frame) => frames.push([...frame]), flush: () => {} });
  path.send(Int16Array.of(1, -2));
  sound.hear(soundFrame(0));
  t.deepEqual(frames, [[1, 0, 254, 255]]);
});

// Calls with audio
// Calls at a web phone with a microphone and a speaker: carried, recognized and recorded like those of a real line.

const agentLevel = 8_000;
const personLevel = 5_000;
const perMs = 16;

/** Recognizes the same words in any audio; `onSamples` counts the received samples. */
const hearing = 'Please wait a moment.';
const recognizerOf = (onSamples: (count: number) => void): Recognizer => ({
  name: 'fake',
  open(_options, emit) {
    const tell = (event: RecognitionEvent): void => emit(event);
    return {
      write: ({ length }) => onSamples(length),
      speechBegan: () => tell({ type: 'partial', text: hearing }),
      speechEnded: () => tell({ type: 'final', text: hearing }),
      close: () => {},
    };
  },
});

const createCallsWithSoundWorld = async (recording = false) => {
  const tape = createTape();
  let samplesRecognized = 0;
  const recognizer = recognizerOf((count) => (samplesRecognized += count));
  const means: MediaMeans = {
    // One second per word.
    async *speak(text, rate) {
      for (const _ of text.split(' ')) yield new Int16Array(rate).fill(agentLevel);
    },
    hearing: {
      recognizer,
      openDetector: () => ({ isVoice: (frame) => frame.some((sample) => sample > 1_000), close: () => {} }),
      numbers: listening,
      resample: await loadResampler(),
      turnModel: null,
    },
    openRecording: recording ? () => ({ ...tape, isWanted: () => true, skip() {} }) : null,
  };
  const clock = createOrderedClock();
  const network = createPhoneNetwork(clock, () => means);
  const person = createSoundingPhone(clock, (act, play) => network.phone('phone-0001', 'here', act, play));
  const callId = crypto.randomUUID();
  const line: WatchedLine = openWatched(network.lines.open, scriptedInput({ callId, to: '01055551234' }));
  network.until(() => person.phone.all('ring').length === 1);
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const answer = async (): Promise<void> => {
    person.phone.send({ type: 'answer', call_id: callId, sound: true });
    network.until(() => line.saw('line.answered'));
    await settle();
  };
  /** Advances the clock with this sample at the microphone while engines work. */
  const pass = async (milliseconds: number, sample = 0): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += 100) {
      await settle();
      person.pass(100, sample);
    }
  };
  return {
    ...network,
    ...person,
    connect: network.phone,
    tape,
    line,
    callId,
    answer,
    pass,
    samplesRecognized: () => samplesRecognized,
  };
};

const soundingMs = (samples: readonly number[]): number =>
  samples.filter((sample) => Math.abs(sample) > 100).length / perMs;

test.serial('announces audio support before any other message', async (t) => {
  const { phone } = await createCallsWithSoundWorld();
  t.deepEqual(phone.story(), ['sound_offered', 'ring']);
});

test.serial("plays the agent's audio to the exact sample, and recognizes and reports speech", async (t) => {
  const { phone, line, heard, mostWaiting, answer, pass, callId } = await createCallsWithSoundWorld();
  await answer();
  t.like(phone.all('answered')[0], { call_id: callId, sound: true });
  line.say('One two.');
  await pass(3_000);
  t.is(heard.filter((sample) => sample === agentLevel).length, 32_000);
  t.true(mostWaiting() <= 400 * perMs);
  t.like(line.all('line.played')[0], { text: 'One two.', whole: true });
  t.like(phone.all('agent_says')[0], { utterance: 1, text: 'One two.' });
  await pass(1_000, personLevel);
  await pass(2_000);
  t.like(line.all('line.heard')[0], { text: hearing, backchannel: false });
  t.deepEqual(
    phone.all('you_said').map(({ text }) => text),
    [hearing],
  );
  t.deepEqual(
    phone.all('you_say').map(({ text }) => text),
    [hearing, ''],
    'preliminary words, before and after the end of the turn',
  );
  t.deepEqual(line.breaches, []);
});

test.serial('barge-in stops the agent and flushes audio already sent to the phone', async (t) => {
  const { phone, line, heard, answer, pass } = await createCallsWithSoundWorld();
  await answer();
  line.say('One two three four five.');
  await pass(2_500);
  t.false(line.saw('line.speech'));
  await pass(1_000, personLevel);
  t.true(line.saw('line.speech'));
  line.tell({ type: 'stopTalking' });
  const before = soundingMs(heard);
  await pass(1_000);
  t.is(phone.all('sound_flush').length, 1);
  t.is(soundingMs(heard), before);
  const [played] = line.all('line.played');
  t.false(played?.whole);
  t.deepEqual(phone.all('agent_stops')[0]?.heard, { utterance: 1, text: played?.text });
  t.regex(played?.text ?? '', /^One two/);
  t.notRegex(played?.text ?? '', /four/);
  t.is(phone.all('agent_stops').length, 1);
  t.deepEqual(line.breaches, []);
});

test.serial('typing works during an audio call and interrupts like speech', async (t) => {
  const { phone, line, answer, pass } = await createCallsWithSoundWorld();
  await answer();
  line.say('One two three four five.');
  await pass(1_000);
  phone.send({ type: 'say', text: 'Excuse me, I have a question.' });
  await pass(3_000);
  t.true(line.saw('line.speech'));
  t.like(line.all('line.heard')[0], { text: 'Excuse me, I have a question.', backchannel: false });
  t.deepEqual(phone.all('you_said'), [], 'what was typed is known');
  phone.send({ type: 'digit', digit: '5' });
  await pass(100);
  t.is(line.all('line.digit')[0]?.digit, '5');
});

test.serial('records the audio of both parties', async (t) => {
  const { line, tape, answer, pass } = await createCallsWithSoundWorld(true);
  await answer();
  line.say('One two.');
  await pass(1_000);
  await pass(500, personLevel);
  await pass(1_500);
  line.tell({ type: 'hangUp' });
  await pass(500);
  t.is(tape.outcome, 'finished');
  t.is(tape.agent.filter((sample) => sample === agentLevel).length, 32_000);
  t.is(tape.counterparty.filter((sample) => sample === personLevel).length, 8_000);
});

test.serial('rejects a malformed frame with the reason, within and outside calls', async (t) => {
  const { phone, answer, pass } = await createCallsWithSoundWorld();
  const refusals = (): string[] => phone.all('refused').map(({ code }) => code);
  phone.sendBytes(new Uint8Array(3));
  t.deepEqual(refusals(), ['invalid_sound']);
  phone.sendBytes(soundFrame(0));
  t.is(refusals().length, 1, 'a call that has just ended may have had a frame on its way');
  await answer();
  await pass(100);
  phone.sendBytes(soundFrame(9_999_999));
  phone.send({ type: 'sound_flushed', samples: 5 });
  t.deepEqual(refusals(), ['invalid_sound', 'invalid_sound', 'invalid_sound']);
});

test.serial('stops recognition while two persons talk', async (t) => {
  const { phone, line, answer, pass, samplesRecognized } = await createCallsWithSoundWorld();
  await answer();
  await pass(1_000, personLevel);
  await pass(2_000);
  const [heard, written] = [line.all('line.heard').length, samplesRecognized()];
  t.true(heard > 0 && written > 0);
  line.tell({ type: 'transfer', to: '01000000011', mode: 'cold' });
  await pass(1_500);
  t.true(line.saw('line.transferred'));
  const before = samplesRecognized();
  t.true(before > written, 'who waits for the person is heard');
  await pass(1_000, personLevel);
  await pass(2_000);
  t.is(samplesRecognized(), before);
  t.is(line.all('line.heard').length, heard);
  t.is(phone.all('you_said').length, heard);
  t.deepEqual(line.breaches, []);
});

test.serial('plays a hold tone while the other party waits for a person', async (t) => {
  const { line, heard, answer, pass } = await createCallsWithSoundWorld();
  await answer();
  await pass(1_000);
  t.is(soundingMs(heard), 0);
  line.tell({ type: 'transfer', to: '01000000013', mode: 'cold' });
  await pass(5_000);
  const beeps = soundingMs(heard);
  t.true(beeps > 600 && beeps < 1_000, `two beeps of 400 ms: ${beeps}`);
  line.tell({ type: 'cancelTransfer' });
  await pass(6_000);
  t.is(soundingMs(heard), beeps);
  line.say('One two.');
  await pass(3_000);
  t.like(line.all('line.played')[0], { text: 'One two.', whole: true });
  t.deepEqual(line.breaches, []);
});

test.serial('a phone that returns to its call receives and sends audio again', async (t) => {
  const world = await createCallsWithSoundWorld();
  const { phone, line, answer, pass, clock } = world;
  await answer();
  line.say('One two three four five six.');
  await pass(1_000);
  phone.lose();
  clock.advance(1_000);
  const back = createSoundingPhone(clock, (act, play) => world.connect('phone-0001', 'here', act, play));
  t.deepEqual(back.phone.story().slice(0, 2), ['sound_offered', 'answered']);
  t.true(back.phone.all('answered')[0]?.sound);
  for (let passed = 0; passed < 8_000; passed += 100) {
    await new Promise((resolve) => setImmediate(resolve));
    back.pass(100);
  }
  const missing = 6 * 16_000 - soundingMs(back.heard) * perMs - soundingMs(world.heard) * perMs;
  t.true(missing >= 0 && missing <= 400 * perMs, `what was on its way is lost: ${missing}`);
  t.like(line.all('line.played')[0], { whole: true });
});

test.serial('reports to the call when a phone stops sending audio', async (t) => {
  const { line, answer, pass, clock } = await createCallsWithSoundWorld();
  await answer();
  await pass(100);
  clock.advance(25_000);
  t.true(line.saw('line.failed'));
});

test.serial(
  "rejects a phone's request for unsupported audio with a reason, but accepts typing",
  async (t) => {
    const network = createPhoneNetwork();
    const callId = crypto.randomUUID();
    const phone = network.phone();
    const line = openWatched(network.lines.open, scriptedInput({ callId, to: '01055551234' }));
    network.until(() => phone.all('ring').length > 0);
    phone.send({ type: 'answer', call_id: callId, sound: true });
    network.until(() => line.saw('line.answered'));
    t.deepEqual(phone.story(), ['ring', 'refused', 'answered']);
    t.false(phone.all('answered')[0]?.sound);
    phone.send({ type: 'say', text: 'Hello there.' });
    network.until(() => line.saw('line.heard'));
  },
);

// Reconnection

test("a returning phone receives the agent's words since its person last spoke", (t) => {
  const network = createPhoneNetwork();
  const callId = crypto.randomUUID();
  const phone = network.phone();
  const line = openWatched(network.lines.open, scriptedInput({ callId, to: '01055551234' }));
  network.until(() => phone.all('ring').length > 0);
  phone.send({ type: 'answer', call_id: callId });
  network.until(() => line.saw('line.answered'));
  line.say('Good morning.');
  network.until(() => line.all('line.played').length === 1);
  phone.send({ type: 'say', text: 'Good evening.' });
  network.until(() => line.saw('line.heard'));
  for (const text of ['How are you?', 'And your family?', 'And your dog?']) line.say(text);
  network.until(() => phone.all('agent_says').length === 3);
  phone.lose();
  network.until(() => line.all('line.played').length === 3);
  const back = network.phone();
  const said = [
    { utterance: 2, text: 'How are you?' },
    { utterance: 3, text: 'And your family?' },
    { utterance: 4, text: 'And your dog?' },
  ];
  t.like(back.told[0], { type: 'answered', said });
  t.like(back.told[1], { type: 'agent_says', utterance: 4 });
});

// Places

const phoneLimits = {
  phones: 3,
  phonesOfWorkspace: 2,
  links: 1,
  messageBytes: 1_000,
  waitingBytes: 1_000,
  pingMs: 60_000,
};

test.serial('limits web phones per workspace and in total', async (t) => {
  const connection = { receive: () => {}, hear: () => {}, lost: () => {} };
  const phones = createPhoneSocket({
    phones: { connect: () => connection, close: () => {} },
    connectEverywhere: () => connection,
    dial: () => Promise.reject(new Error('Nobody dials')),
    limits: phoneLimits,
    logger: pino({ level: 'silent' }),
  });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    const { searchParams: query } = new URL(request.url ?? '/', 'http://gateway');
    phones.accept({
      request,
      socket,
      head,
      query,
      workspaceId: query.get('workspace') ?? '',
      actor: 'admin:a',
      refuse: (status) => void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`),
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  t.teardown(() => {
    phones.close();
    server.close();
    server.closeAllConnections();
  });
  const open = (workspace: string): Promise<{ status: number; socket: WebSocket }> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${address.port}/?workspace=${workspace}&phone=phone-0001`);
      t.teardown(() => socket.terminate());
      socket.on('open', () => resolve({ status: 101, socket }));
      socket.on('error', ({ message }) => resolve({ status: Number(/(\d{3})$/.exec(message)?.[1]), socket }));
    });
  const first = await open('one');
  t.is(first.status, 101);
  t.is((await open('one')).status, 101);
  t.is((await open('one')).status, 429);
  t.is((await open('two')).status, 101);
  t.is((await open('two')).status, 503);
  first.socket.close();
  await until('the place is free', async () => ((await open('one')).status === 101 ? true : undefined));
});
