/** Presets of trunks: what each of them sets is what the API takes, and nothing of a customer's. */
import test from 'ava';
import { z } from 'zod';
import { trunkFields } from '#src/api/trunks/trunk-schema.ts';
import {
  changesTo,
  presetNamed,
  presetNames,
  presetValues,
  setByPreset,
  trunkPresets,
} from '#src/console/trunk/presets.ts';

/** Whose customer it is stands in none of them. */
const fieldsOfPresets = z
  .strictObject({
    host: trunkFields.host,
    transport: trunkFields.transport,
    register: trunkFields.register,
    inbound_auth: trunkFields.inbound_auth,
    codecs: trunkFields.codecs,
    number_format: trunkFields.number_format,
    caller_id: trunkFields.caller_id,
  })
  .partial();

for (const name of presetNames) {
  test(`${name}: the API takes its settings`, (t) => {
    const { settings, hostPattern, sources } = trunkPresets[name];
    const parsed: unknown = fieldsOfPresets.parse(settings);
    t.deepEqual(parsed, settings);
    t.true(Object.keys(settings).length > 0);
    t.false('host' in settings && hostPattern !== undefined, 'a host is known, or what it looks like');
    if (hostPattern !== undefined) t.true(trunkFields.host.safeParse(hostPattern).success);
    for (const source of sources) t.is(URL.parse(source)?.protocol, 'https:');
  });
}

test('every preset is in the list, once, and no other name is one', (t) => {
  t.deepEqual(presetNames.toSorted(), Object.keys(trunkPresets).toSorted());
  t.is(presetNamed('sipgate'), 'sipgate');
  for (const name of ['', 'toString', 'Twilio']) t.is(presetNamed(name), undefined);
});

const usual = {
  name: '',
  host: '',
  username: '',
  register: false,
  codecs: '',
  number_format: 'domestic',
  caller_id: 'from',
};

test('a preset sets what it knows and nothing else', (t) => {
  const typed = { ...usual, name: 'carrier', username: 'acme' };
  t.deepEqual(changesTo('telnyx', { before: undefined, values: typed, usual }), {
    host: 'sip.telnyx.com',
    register: true,
    number_format: 'e164',
  });
  t.is(presetValues('twilio')['codecs'], 'PCMU PCMA');
});

test('another preset takes back what the one before has set, but not what was changed by hand', (t) => {
  const values = { ...usual, ...presetValues('sipgate'), number_format: 'e164' };
  t.deepEqual(setByPreset('sipgate', values).toSorted(), ['caller_id', 'host']);
  t.deepEqual(changesTo('pbx', { before: 'sipgate', values, usual }), {
    host: '',
    caller_id: 'from',
    register: true,
  });
  t.deepEqual(changesTo(undefined, { before: 'sipgate', values, usual }), { host: '', caller_id: 'from' });
});
