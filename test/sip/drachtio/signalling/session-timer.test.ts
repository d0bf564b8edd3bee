import test from 'ava';
import {
  afterTooSmall,
  agreedTimer,
  answerTimer,
  isTooSmall,
  refreshedTimer,
  sameTimer,
  sessionExpiresOf,
  timerOffer,
} from '#sip/drachtio/signalling/session-timer.ts';

const times = { expiresSec: 1_800, shortestSec: 90 };

const message = (headers: Record<string, string> = {}) => ({
  has: (name: string) => Object.hasOwn(headers, name),
  get: (name: string) => headers[name] ?? '',
});

const expires = (value: string) => message({ 'Session-Expires': value });

test('Session-Expires is read in its long and its short form', (t) => {
  t.deepEqual(sessionExpiresOf(expires('1800')), { seconds: 1_800, refresher: null });
  t.deepEqual(sessionExpiresOf(expires(' 90 ; refresher = UAS')), { seconds: 90, refresher: 'uas' });
  t.deepEqual(sessionExpiresOf(message({ x: '600;refresher=uac' })), { seconds: 600, refresher: 'uac' });
  t.is(sessionExpiresOf(message()), undefined);
  t.is(sessionExpiresOf(expires('soon')), undefined);
});

test('an INVITE asks for a timer and says the shortest that is taken', (t) => {
  t.deepEqual(timerOffer(times), { 'Session-Expires': '1800', 'Min-SE': '90' });
});

test('a trunk that wants a longer timer gets it, and one that does not say which gets nothing', (t) => {
  t.deepEqual(afterTooSmall(message({ 'Min-SE': '3600' }), times), { expiresSec: 3_600, shortestSec: 3_600 });
  t.deepEqual(afterTooSmall(message({ 'Min-SE': '120' }), times), { expiresSec: 1_800, shortestSec: 120 });
  t.is(afterTooSmall(message({ 'Min-SE': '90' }), times), undefined);
  t.is(afterTooSmall(message(), times), undefined);
});

test('a timer below the shortest is too small', (t) => {
  t.true(isTooSmall(expires('89'), times));
  t.false(isTooSmall(expires('90'), times));
  t.false(isTooSmall(message(), times));
});

test('a caller is answered with the timer that it asks for, and refreshes it unless it wants us to', (t) => {
  t.deepEqual(answerTimer(expires('600;refresher=uas'), times), {
    headers: { 'Session-Expires': '600;refresher=uas' },
    weRefresh: true,
    expiresSec: 600,
  });
  t.deepEqual(answerTimer(expires('600'), times), {
    headers: { 'Session-Expires': '600;refresher=uac', Require: 'timer' },
    weRefresh: false,
    expiresSec: 600,
  });
});

test('a caller that only knows of timers gets one, and one that does not gets none', (t) => {
  t.deepEqual(answerTimer(message({ Supported: '100rel, timer', 'Min-SE': '3600' }), times).headers, {
    'Session-Expires': '3600;refresher=uac',
    Require: 'timer',
  });
  t.deepEqual(answerTimer(message({ Supported: 'replaces' }), times), {
    headers: {},
    weRefresh: false,
    expiresSec: null,
  });
});

test('a refresh is answered with what it asks for, as drachtio-server reads it', (t) => {
  t.deepEqual(refreshedTimer(expires('90;refresher=uac'), true), {
    headers: { 'Session-Expires': '90;refresher=uac', Require: 'timer' },
    weRefresh: false,
    expiresSec: 90,
  });
  t.deepEqual(refreshedTimer(expires('90'), true).headers['Session-Expires'], '90;refresher=uac');
  t.deepEqual(refreshedTimer(expires('90'), false), {
    headers: { 'Session-Expires': '90;refresher=uas' },
    weRefresh: true,
    expiresSec: 90,
  });
  t.deepEqual(refreshedTimer(message(), true), { headers: {}, weRefresh: false, expiresSec: null });
});

test('refreshing is ours unless the far end takes it', (t) => {
  t.deepEqual(agreedTimer(expires('90')), { weRefresh: true, expiresSec: 90 });
  t.deepEqual(agreedTimer(expires('90;refresher=uac')), { weRefresh: true, expiresSec: 90 });
  t.deepEqual(agreedTimer(expires('90;refresher=uas')), { weRefresh: false, expiresSec: 90 });
  t.deepEqual(agreedTimer(message()), { weRefresh: false, expiresSec: null });
});

test('an INVITE within a call says again what was agreed', (t) => {
  const headersOf = (value: string) => sameTimer(agreedTimer(expires(value)))['Session-Expires'];
  t.is(headersOf('90'), '90;refresher=uac');
  t.is(headersOf('1800;refresher=uas'), '1800;refresher=uas');
  t.deepEqual(sameTimer(agreedTimer(message())), { Supported: 'timer' });
});
