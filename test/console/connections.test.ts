/** Webhook endpoints, trunks, and the presets of trunks. */
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
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, turnInto, turnTo } from './in-browser.ts';

// Pages

consoleTest(
  'adds, tests, pauses and deletes a webhook endpoint, and sends an event again',
  async (t, { gateway, open }) => {
    const receiver = await startWebhookReceiver();
    t.teardown(receiver.close);
    const page = await open({ page: '/webhooks' });
    await page.getByText('No webhook endpoints yet').waitFor();
    await page.getByRole('link', { name: 'Add an endpoint' }).click();
    await page.getByLabel('URL').fill('ftp://receiver.example.com');
    await page.getByRole('radio', { name: 'Only these' }).check();
    await page.getByRole('checkbox', { name: 'call.ended' }).check();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByText('The URL must begin with https://.').waitFor();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const secret = await page.getByRole('group', { name: 'Signing secret' }).locator('code').textContent();
    receiver.trust(z.string().parse(secret));
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByText('No deliveries yet.').waitFor();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText(/Delivered: HTTP 204/).waitFor();
    await gateway.call('01000000003');
    await page.getByText('Delivered', { exact: true }).waitFor();
    await page.locator('.deliveries summary').click();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The delivery will be attempted now.').waitFor();
    await receiver.until(3);

    receiver.answer({ status: 500 });
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText(/Not delivered\./).waitFor();
    await page
      .getByText('Not delivered. The server itself failed (HTTP 500). Its own log should say why.')
      .waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    t.not(await page.getByRole('group', { name: 'Signing secret' }).locator('code').textContent(), secret);

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhook endpoints yet').waitFor();
  },
);

consoleTest(
  'shows an active endpoint whose receiver does not respond as failing, in both languages',
  async (t, { gateway, open }) => {
    const events = { url: 'http://127.0.0.1:9/events', events: ['call.ringing'] };
    const { body } = await gateway.admin.post('/api/v1/admin/webhooks', events);
    const path = `/webhooks/${z.object({ id: z.string() }).parse(body).id}`;
    await gateway.call('01000000003');
    const page = await open({ page: path, width: 390 });
    await page.getByText(/^Failing since /).waitFor();
    const reason =
      'Nothing listens at 127.0.0.1:9. Start the server, or correct the host and port of the URL.';
    const trouble = page.getByRole('region', { name: 'Why deliveries fail' });
    await trouble.getByText(reason).waitFor();
    await trouble.getByText('The connection failed: ECONNREFUSED').waitFor();
    await page
      .locator('.page-head')
      .getByText(/No delivery has succeeded yet/)
      .waitFor();
    await page.getByText('Endpoint failing').first().waitFor();
    t.is(await page.getByText('Waiting', { exact: true }).count(), 0);
    await page.locator('.deliveries summary').first().click();
    await page.getByRole('region', { name: 'Payload' }).getByText('"type": "call.ringing"').waitFor();
    await page.getByRole('list', { name: 'Attempts' }).getByText(reason).first().waitFor();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText(`Not delivered. ${reason}`).waitFor();
    await everybodyCanUse(t, page, 'a failing endpoint');
    await turnInto(page, { locale: 'ko-KR' });
    await page.getByText('127.0.0.1:9에서 연결을 받는 서버가 없습니다.').first().waitFor();
    await page.getByText('수신 장애로 보류').first().waitFor();

    await turnInto(page, { width: 1440 });
    await turnTo(page, '/webhooks');
    await page.getByText(/부터 전달 실패$/).waitFor();
    t.is(await page.getByText('사용 중', { exact: true }).count(), 0);
    await everybodyCanUse(t, page, 'endpoints of which one is failing');
    await turnInto(page, { locale: 'en-US' });
    await page.getByText(reason).waitFor();
    await turnTo(page, '/overview');
    await page.getByText(/^Failing since /).waitFor();
  },
);

consoleTest('adds, changes, checks and deletes a trunk', async (t, { gateway, open }) => {
  const page = await open({ page: '/trunks' });
  await page.getByText('No trunks yet').waitFor();
  await page.getByText('The lines of this gateway are simulated, so calls need no trunk.').waitFor();
  await page.getByRole('link', { name: 'Add a trunk' }).click();
  await page.getByLabel('Name', { exact: true }).fill('carrier');
  await page.getByLabel('Host').fill('sip example com');
  await page.getByLabel('Addresses that may send calls').fill('203.0.113.0/24\nnowhere');
  await page.getByRole('checkbox', { name: 'Register with the trunk' }).check();
  await page.getByText('More settings').press('Enter');
  await page.getByRole('checkbox', { name: 'Let the trunk make cold transfers (REFER)' }).check();
  await page.getByRole('button', { name: 'Add trunk' }).click();
  await page.getByText('This is neither a host name nor an IP address').waitFor();
  await page.getByText('This is neither an IP address nor a block').waitFor();
  await page.getByLabel('Host').fill('sip.example.com');
  await page.getByLabel('Addresses that may send calls').fill('203.0.113.0/24');
  await page.getByRole('button', { name: 'Add trunk' }).click();
  await page.getByText('A trunk that is registered at needs a user name.').waitFor();
  await page.getByLabel('User name').fill('acme');
  await page.getByLabel('Password').fill('change-me');
  await page.getByRole('button', { name: 'Add trunk' }).click();

  await page.getByRole('heading', { name: 'carrier' }).waitFor();
  await page.getByText('Not used').waitFor();
  await page.getByText('A password is stored.').waitFor();
  // Fields that were set stand in front. The others are folded away, and unfold when one has an error.
  t.true(await page.getByRole('checkbox', { name: 'Let the trunk make cold transfers' }).isChecked());
  t.false(await page.getByLabel('Priority').isVisible());
  await page.getByText('More settings').press('Enter');
  await page.getByLabel('Priority').fill('first');
  await page.getByText('More settings').press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter a whole number.').waitFor();
  await page.getByLabel('Priority').fill('3');
  await page.getByRole('checkbox', { name: 'Transfer a call when the other party asks (REFER)' }).check();
  await page
    .getByRole('textbox', { name: 'Addresses (optional)' })
    .fill('sip1.example.com:5070 1 2\n[2001:db8::1] drained');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  t.like((await gateway.admin.get('/api/v1/admin/trunks')).body, {
    trunks: [
      {
        priority: 3,
        refer: true,
        accept_refer: true,
        password_configured: true,
        inbound_addresses: ['203.0.113.0/24'],
        addresses: [
          { host: 'sip1.example.com', port: 5070, priority: 1, weight: 2, drained: false },
          { host: '2001:db8::1', port: null, priority: 10, weight: 10, drained: true },
        ],
      },
    ],
  });

  await page.getByRole('button', { name: 'Check' }).click();
  await page
    .getByText('The lines of this gateway are simulated: there is nothing to try the trunk on.')
    .waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No trunks yet').waitFor();
});

consoleTest(
  'fills in the fields of a trunk provider by a preset and lets the user change each field',
  async (t, { gateway, open }) => {
    const page = await open({ page: '/trunks/new' });
    const provider = page.getByRole('combobox', { name: 'Provider' });
    const host = page.getByLabel('Host');
    const numbers = page.getByLabel('Number format');
    await page.getByLabel('Name', { exact: true }).fill('carrier');
    await page.getByLabel('User name').fill('acme');

    await provider.focus();
    await provider.press('S');
    await page.getByText('User name and password are SIP ID and SIP password.').waitFor();
    t.is(await host.inputValue(), 'sipconnect.sipgate.de');
    await provider.selectOption({ label: 'Twilio Elastic SIP Trunking' });
    const filledIn = page.locator('dl[aria-label="Filled in"]');
    await filledIn.getByText('PCMU PCMA').waitFor();
    t.is(await host.inputValue(), '');
    t.is(await host.getAttribute('placeholder'), 'example.pstn.twilio.com');
    t.is(await numbers.inputValue(), 'e164');
    await everybodyCanUse(t, page, 'a preset of a trunk');

    await page.getByText('More settings').press('Enter');
    await page.getByLabel('Codecs').fill('pcma speex');
    await filledIn.getByText('PCMU PCMA').waitFor({ state: 'detached' });
    await host.fill('acme.pstn.twilio.com');
    await page.getByRole('button', { name: 'Add trunk' }).click();
    await page.getByText('Codecs are PCMU, PCMA, G722, opus.').waitFor();
    await page.getByLabel('Codecs').fill('pcma');
    await page.getByRole('button', { name: 'Add trunk' }).click();
    await page.getByRole('heading', { name: 'carrier' }).waitFor();
    t.is(await page.getByLabel('Codecs').inputValue(), 'PCMA');
    t.like((await gateway.admin.get('/api/v1/admin/trunks')).body, {
      trunks: [
        {
          name: 'carrier',
          host: 'acme.pstn.twilio.com',
          username: 'acme',
          register: false,
          codecs: ['PCMA'],
          number_format: 'e164',
          caller_id: 'from',
        },
      ],
    });
  },
);

consoleTest(
  'asks where a trunk leads, and shows the fields which that needs',
  async (t, { gateway, open }) => {
    const page = await open({ page: '/trunks/new' });
    const user = page.getByLabel('User name');
    const header = page.getByLabel('Caller ID header');
    await page.getByLabel('Name', { exact: true }).fill('border');
    await user.fill('acme');
    t.false(await header.isVisible());
    await page.getByRole('radio', { name: 'Session border controller (SBC)' }).check();
    await header.waitFor();
    t.is(await header.inputValue(), 'p-asserted-identity');
    t.false(await user.isVisible());
    await page.getByRole('radio', { name: 'Telephone system (PBX)' }).check();
    await user.waitFor();
    t.is(await user.inputValue(), 'acme');
    t.true(await page.getByRole('checkbox', { name: 'Register with the trunk' }).isChecked());
    await page.getByRole('radio', { name: 'Session border controller (SBC)' }).check();
    await page.getByLabel('Host').fill('sbc.example.com');
    await everybodyCanUse(t, page, 'a trunk to a session border controller');
    await page.getByRole('button', { name: 'Add trunk' }).click();
    await page.getByRole('heading', { name: 'border' }).waitFor();
    t.like((await gateway.admin.get('/api/v1/admin/trunks')).body, {
      trunks: [
        {
          host: 'sbc.example.com',
          username: 'acme',
          register: false,
          number_format: 'e164',
          caller_id: 'p-asserted-identity',
        },
      ],
    });
  },
);

// Presets

/** Presets never contain fields of a customer, such as credentials. */
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
  test(`${name}: the API accepts the settings of the preset`, (t) => {
    const { settings, hostPattern, sources } = trunkPresets[name];
    const parsed: unknown = fieldsOfPresets.parse(settings);
    t.deepEqual(parsed, settings);
    t.true(Object.keys(settings).length > 0);
    t.false('host' in settings && hostPattern !== undefined, 'a host is known, or what it looks like');
    if (hostPattern !== undefined) t.true(trunkFields.host.safeParse(hostPattern).success);
    for (const source of sources) t.is(URL.parse(source)?.protocol, 'https:');
  });
}

test('lists every trunk preset once', (t) => {
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

test('changes only the fields of the chosen preset', (t) => {
  const typed = { ...usual, name: 'carrier', username: 'acme' };
  t.deepEqual(changesTo('telnyx', { before: undefined, values: typed, usual }), {
    host: 'sip.telnyx.com',
    register: true,
    number_format: 'e164',
  });
  t.is(presetValues('twilio')['codecs'], 'PCMU PCMA');
});

test('resets fields of the previous preset, except those changed by hand', (t) => {
  const values = { ...usual, ...presetValues('sipgate'), number_format: 'e164' };
  t.deepEqual(setByPreset('sipgate', values).toSorted(), ['caller_id', 'host']);
  t.deepEqual(changesTo('pbx', { before: 'sipgate', values, usual }), {
    host: '',
    caller_id: 'from',
    register: true,
  });
  t.deepEqual(changesTo(undefined, { before: 'sipgate', values, usual }), { host: '', caller_id: 'from' });
});
