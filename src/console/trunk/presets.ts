/**
 * What is known of providers of trunks, for those who add one: settings that are the same for all their customers, read
 * from the provider's own pages (`sources`). What no page says stands in no preset, and nothing here belongs to a
 * customer. Keys (RFC 4733) and session timers (RFC 4028) are agreed on in each call and have no setting.
 */
import type { CallerIdHeader, NumberFormat, TrunkCodec, TrunkTransport } from '#src/domain/trunk.ts';

export type PresetSettings = {
  host?: string;
  transport?: TrunkTransport;
  register?: boolean;
  inbound_auth?: 'none' | 'digest';
  codecs?: readonly TrunkCodec[];
  number_format?: NumberFormat;
  caller_id?: CallerIdHeader;
};

export type TrunkPreset = {
  settings: PresetSettings;
  /** What a host looks like that each customer has for itself. */
  hostPattern?: string;
  /** The first is shown to whoever chooses the preset. */
  sources: readonly string[];
};

const all = {
  /** By address or by a list of credentials, and without registration; each number in E.164, with its +. */
  twilio: {
    settings: { register: false, codecs: ['PCMU', 'PCMA'], number_format: 'e164' },
    hostPattern: 'example.pstn.twilio.com',
    sources: [
      'https://www.twilio.com/docs/sip-trunking',
      'https://www.twilio.com/docs/sip-trunking/codecs',
      'https://www.twilio.com/docs/global-infrastructure/localized-uris/termination',
      'https://www.twilio.com/docs/api/errors/32101',
    ],
  },
  /** By a "credential connection", which registers; those by address do not. */
  telnyx: {
    settings: { host: 'sip.telnyx.com', register: true, number_format: 'e164' },
    sources: [
      'https://developers.telnyx.com/docs/voice/sip-trunking/authentication/credential-types',
      'https://developers.telnyx.com/docs/voice/sip-trunking/authentication/tech-prefix',
      'https://developers.telnyx.com/docs/voice/sip-trunking/tls-requirements',
    ],
  },
  /** Each INVITE by digest authentication or by address; numbers as `From: <447700900000@yourcompany.com>`. */
  vonage: {
    settings: { register: false, number_format: 'e164_without_plus', caller_id: 'from' },
    hostPattern: 'yourcompany.sip-us.vonage.com',
    sources: ['https://developer.vonage.com/en/sip/technical-details'],
  },
  /** A number with a + before it is not shown to the called party. */
  sipgate: {
    settings: {
      host: 'sipconnect.sipgate.de',
      number_format: 'e164_without_plus',
      caller_id: 'p-preferred-identity',
    },
    sources: ['https://help.sipgate.de/trunking/wie-setze-ich-bei-sipgate-trunking-die-absenderrufnummer'],
  },
  /** An extension of Asterisk, FreePBX or another telephone system, as a telephone registers at it. */
  pbx: {
    settings: { register: true },
    sources: [
      'https://docs.asterisk.org/Configuration/Channel-Drivers/SIP/Configuring-res_pjsip/res_pjsip-Configuration-Examples/',
    ],
  },
  /** Whoever is known by the address that calls come from. */
  address: { settings: { register: false, inbound_auth: 'none' }, sources: [] },
} as const satisfies Record<string, TrunkPreset>;

export type PresetName = keyof typeof all;
export const trunkPresets: Readonly<Record<PresetName, TrunkPreset>> = all;

/** In the order of the list. */
export const presetNames: readonly PresetName[] = ['twilio', 'telnyx', 'vonage', 'sipgate', 'pbx', 'address'];

/** Undefined for none, which is the empty name. */
export const presetNamed = (name: string): PresetName | undefined =>
  presetNames.find((known) => known === name);

type Values = Readonly<Record<string, string | boolean>>;

/** As the fields of a form hold them. */
export const presetValues = (name: PresetName | undefined): Values => {
  if (name === undefined) return {};
  const { codecs, ...others } = trunkPresets[name].settings;
  return codecs === undefined ? others : { ...others, codecs: codecs.join(' ') };
};

/** The fields that still are as the preset has set them. */
export const setByPreset = (name: PresetName | undefined, values: Values): string[] =>
  Object.entries(presetValues(name))
    .filter(([field, value]) => values[field] === value)
    .map(([field]) => field);

/**
 * What another preset changes: its own settings, and what the one before has set and nobody has changed, which becomes
 * what it usually is.
 */
export const changesTo = (
  after: PresetName | undefined,
  { before, values, usual }: { before: PresetName | undefined; values: Values; usual: Values },
): Values => ({
  ...Object.fromEntries(setByPreset(before, values).map((field) => [field, usual[field] ?? ''])),
  ...presetValues(after),
});
