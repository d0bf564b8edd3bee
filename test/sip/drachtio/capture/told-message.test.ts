/** Drachtio-server 0.9.10's reports of SIP messages, as they were recorded, and what is read of them. */
import test from 'ava';
import { momentOf, readToldMessage } from '#sip/drachtio/capture/told-message.ts';

const response = 'SIP/2.0 200 OK\r\nCall-ID: c\r\n\r\n';
const bye = 'BYE sip:far@192.0.2.1 SIP/2.0\r\nCall-ID: c\r\n\r\n';

const told: Readonly<Record<string, [string, object | null]>> = {
  'a request that belongs to no call yet': [
    `id|sip|network|30|udp|192.0.2.1|39131|13:46:07.374758|txn||192.0.2.7|5060|\r\n${bye}`,
    { direction: 'in', transport: 'udp', local: '192.0.2.7:5060', remote: '192.0.2.1:39131', text: bye },
  ],
  'a response that came in': [
    `id|sip|network|30|tls|192.0.2.1|5061|13:46:07.374758|txn|dialog|\r\n${response}`,
    { direction: 'in', transport: 'tls', local: null, remote: '192.0.2.1:5061', text: response },
  ],
  'an ACK, whose transport is not said': [
    `id|sip|network|30||192.0.2.1|39131|13:46:07.395567|txn|dialog|\r\n${bye}`,
    { direction: 'in', transport: null, remote: '192.0.2.1:39131' },
  ],
  'an address of IPv6': [
    `id|sip|network|30|udp|2001:db8::1|5060|13:46:07.395567|txn|dialog|\r\n${bye}`,
    { remote: '[2001:db8::1]:5060' },
  ],
  'a request that was sent, with where it was sent from': [
    `id|response|cmd|OK|application|30|udp|192.0.2.7|5060|13:46:08.071501|txn|Msg sent:|\r\n${bye}`,
    { direction: 'out', local: '192.0.2.7:5060', remote: null, time: '13:46:08.071501', text: bye },
  ],
  'a response that was sent, with where it was sent to': [
    `id|response|cmd|OK|application|30||192.0.2.1|39131|13:46:08.093023|txn|dialog||Msg sent:|\r\n${response}`,
    { direction: 'out', transport: null, local: null, remote: '192.0.2.1:39131' },
  ],
  'a BYE that drachtio-server has sent by itself': [
    `id|sip|application|30|udp|192.0.2.7|5060|13:46:08.093023|unsolicited|dialog|\r\n${bye}`,
    { direction: 'out', local: '192.0.2.7:5060', remote: null },
  ],
  'a command that was refused': ['id|response|cmd|NOK|Server error: no', null],
  'a command that was refused, with a message behind it': [`id|response|cmd|NOK|no\r\n${bye}`, null],
  'an answer about something else': ['id|response|cmd|OK|pong', null],
};

for (const [what, [said, read]] of Object.entries(told))
  test(`what is said of ${what}`, (t) => {
    if (read === null) t.is(readToldMessage(said), null);
    else t.like(readToldMessage(said), read);
  });

const noon = Date.UTC(2026, 10, 22, 12, 0, 1);

const moment = test.macro<[string, number, number]>({
  exec(t, time, nowMs, differenceMicros) {
    t.is(momentOf(time, nowMs) - nowMs * 1_000, differenceMicros);
  },
  title: (about = '') => `a time of day is the nearest moment: ${about}`,
});

test('just before', moment, '12:00:00.250003', noon, -749_997);
test('just after', moment, '12:00:01.000004', noon, 4);
test('in another time zone', moment, '21:00:00.250003', noon, -749_997);
test('in one with an odd offset', moment, '17:45:00.250003', noon, -749_997);
test('on the day before', moment, '23:59:59.500000', Date.UTC(2026, 10, 22), -500_000);
test('one that cannot be read is now', moment, 'noon', noon, 0);
