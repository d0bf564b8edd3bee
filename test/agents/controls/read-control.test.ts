/** What a tag, or an object of a list, means. */
import test from 'ava';
import { readControlTag, readListedControls, silence } from '#src/agents/controls/read-control.ts';

const hangUp = { act: 'hang_up' } as const;
const press = (keys: string) => ({ act: 'press_keys', keys }) as const;

const tags: readonly [source: string, control: unknown][] = [
  ['hangup/', hangUp],
  ['hangup', hangUp],
  ['HangUp />'.slice(0, -1), hangUp],
  ['hangup reason="done"/', hangUp],
  ['silence/', silence],
  ['keys press="1w2#"/', press('1w2#')],
  ["keys press='*0'/", press('*0')],
  ['keys press=5/', press('5')],
  ['keys\n  press="1"\n/', press('1')],
];

for (const [source, control] of tags)
  test(`<${source}> is a control`, (t) => t.deepEqual(readControlTag(source), control));

const collect = (wanted: object) => ({
  act: 'collect_keys',
  wanted: { digits: null, finish: null, timeoutSec: 10, secret: false, ...wanted },
});

const collecting: readonly [source: string, control: unknown][] = [
  ['collect/', collect({})],
  [
    'collect digits="4" finish="#" timeout_sec="30" secret="true"/',
    collect({ digits: 4, finish: '#', timeoutSec: 30, secret: true }),
  ],
  ['collect digits=6 secret="false"/', collect({ digits: 6 })],
];

for (const [source, control] of collecting)
  test(`<${source}> waits for keys`, (t) => t.deepEqual(readControlTag(source), control));

for (const source of [
  'digits="0"',
  'digits="65"',
  'digits="x"',
  'finish="ab"',
  'timeout_sec="0"',
  'secret="maybe"',
])
  test(`<collect ${source}/> is left out`, (t) =>
    t.like(readControlTag(`collect ${source}/`), {
      leftOut:
        'a control "collect" is wrong: it takes "digits" from 1 to 64, "finish" (one key), "timeout_sec" from 1 to 120, "secret" (true or false), each of which may be left out',
    }));

const transfer = (wanted: object) => ({
  act: 'transfer',
  transfer: {
    to: '0212345678',
    mode: 'cold',
    say: null,
    briefing: null,
    acceptKey: null,
    ringTimeoutSec: 25,
    onFailure: 'resume',
    ...wanted,
  },
});

const transferring: readonly [source: string, control: unknown][] = [
  ['transfer to="0212345678"/', transfer({})],
  ['transfer to=0212345678', transfer({})],
  [
    'transfer to="02-1234-5678" mode="warm" briefing="It is about &quot;October&quot;." accept_key="1"/',
    transfer({ to: '02-1234-5678', mode: 'warm', briefing: 'It is about "October".', acceptKey: '1' }),
  ],
  [
    'transfer to="0212345678" say=" One\u0000\nmoment. " ring_timeout_sec="40" on_failure="hang_up"/',
    transfer({ say: 'One moment.', ringTimeoutSec: 40, onFailure: 'hang_up' }),
  ],
];

for (const [source, control] of transferring)
  test(`<${JSON.stringify(source)}> transfers`, (t) => t.deepEqual(readControlTag(source), control));

for (const source of [
  'mode="warm"',
  'to=""',
  'to="a person"',
  `to="${'1'.repeat(41)}"`,
  'to="0212345678" mode="hot"',
  'to="0212345678" accept_key="12"',
  'to="0212345678" ring_timeout_sec="4"',
  'to="0212345678" ring_timeout_sec="121"',
  'to="0212345678" on_failure="cry"',
  `to="0212345678" briefing="${'a'.repeat(2_001)}"`,
])
  test(`<transfer ${source.slice(0, 60)}/> is left out`, (t) =>
    t.like(readControlTag(`transfer ${source}/`), {
      leftOut:
        'a control "transfer" is wrong: it takes a telephone number in "to"; "mode" (cold or warm), "say" and "briefing" (up to 2000 characters), "accept_key" (one key), "ring_timeout_sec" from 5 to 120 and "on_failure" (resume or hang_up) may be left out',
    }));

test('a transfer that is listed has the types of JSON', (t) => {
  t.deepEqual(
    readListedControls([{ transfer: { to: '0212345678', ring_timeout_sec: 30, briefing: 'Hello.' } }]),
    [transfer({ ringTimeoutSec: 30, briefing: 'Hello.' })],
  );
});

const spoken = (language: string) => ({ act: 'change_language', language }) as const;

for (const [tag, language] of [
  ['en', 'en'],
  ['KO', 'ko'],
  ['ja-JP', 'ja'],
] as const)
  test(`<language tag="${tag}"/> changes the language`, (t) => {
    t.deepEqual(readControlTag(`language tag="${tag}"/`), spoken(language));
    t.deepEqual(readListedControls([{ language: { tag } }]), [spoken(language)]);
  });

for (const source of ['', 'tag=""', 'tag="xx"', 'tag="english"', `tag="en-${'a'.repeat(40)}"`, 'to="en"'])
  test(`<language ${source.slice(0, 20)}/> is left out`, (t) =>
    t.deepEqual(readControlTag(`language ${source}/`), {
      leftOut:
        'a control "language" is wrong: it takes a language in "tag": one of ko, en, ja, also with a region',
    }));

test('a list has the types of JSON', (t) => {
  t.deepEqual(readListedControls([{ collect: { digits: 4, timeout_sec: 5, secret: true } }]), [
    collect({ digits: 4, timeoutSec: 5, secret: true }),
  ]);
});

const wrong: readonly string[] = ['keys/', 'keys press=""/', 'keys press="call me"/', 'keys press="&lt;"/'];

for (const source of wrong)
  test(`<${source}> is left out, and what it takes is told`, (t) =>
    t.deepEqual(readControlTag(source), {
      leftOut:
        'a control "keys" is wrong: it takes the keys in "press": up to 64 of 0 to 9, *, #, A to D, and w for half a second of waiting',
    }));

test('one of an unknown name is left out, and nothing of it is told', (t) => {
  t.deepEqual(readControlTag('dance style="tango"/'), {
    leftOut: 'the reply has a control of a name that none has',
  });
});

for (const source of ['b', '/b', 'br/', 'br /', 'a href="x"', 'break time="1s"/', '/hangup', '1/', ''])
  test(`<${source}> is text`, (t) => t.is(readControlTag(source), undefined));

test('a list holds controls in the types of JSON, in its order', (t) => {
  t.deepEqual(readListedControls([{ keys: { press: '12' } }, { hangup: {} }, { silence: {} }]), [
    press('12'),
    hangUp,
    silence,
  ]);
});

const notListed = { leftOut: '"controls" is wrong: it is a list of up to 20 objects' };
const takesKeys = readListedControls([{ keys: {} }]);

for (const list of [null, 'hangup', {}, [1], ['hangup'], Array.from({ length: 21 }, () => ({ hangup: {} }))])
  test(`${JSON.stringify(list).slice(0, 40)} is no list of controls`, (t) =>
    t.deepEqual(readListedControls(list), [notListed]));

test('one that is wrong leaves the others in place', (t) => {
  t.deepEqual(readListedControls([{ keys: { press: 12 } }, { hangup: {} }]), [...takesKeys, hangUp]);
});
