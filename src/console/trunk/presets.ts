/**
 * Presets for providers of trunks: settings that are the same for all customers of a provider, taken from the
 * provider's own pages (`sources`). Presets contain only documented settings and no customer data. DTMF (RFC 4733) and
 * session timers (RFC 4028) are negotiated per call and have no setting.
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
  /** Example of a host name that differs for each customer. */
  hostPattern?: string;
  /** Pages of the provider; the first one is shown with the preset. */
  sources: readonly string[];
};

const all = {
  /** Twilio authenticates by address or credential list, without registration. Numbers are E.164 with +. */
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
  /** Preset for a "credential connection", which registers. Connections by address do not register. */
  telnyx: {
    settings: { host: 'sip.telnyx.com', register: true, number_format: 'e164' },
    sources: [
      'https://developers.telnyx.com/docs/voice/sip-trunking/authentication/credential-types',
      'https://developers.telnyx.com/docs/voice/sip-trunking/authentication/tech-prefix',
      'https://developers.telnyx.com/docs/voice/sip-trunking/tls-requirements',
    ],
  },
  /**
   * Vonage authenticates each INVITE by digest or address. Numbers are sent as `From: <447700900000@yourcompany.com>`.
   */
  vonage: {
    settings: { register: false, number_format: 'e164_without_plus', caller_id: 'from' },
    hostPattern: 'yourcompany.sip-us.vonage.com',
    sources: ['https://developer.vonage.com/en/sip/technical-details'],
  },
  /** sipgate does not display a caller number with + to the callee. */
  sipgate: {
    settings: {
      host: 'sipconnect.sipgate.de',
      number_format: 'e164_without_plus',
      caller_id: 'p-preferred-identity',
    },
    sources: ['https://help.sipgate.de/trunking/wie-setze-ich-bei-sipgate-trunking-die-absenderrufnummer'],
  },
  /** An extension of Asterisk, FreePBX or another PBX, at which the gateway registers like a telephone. */
  pbx: {
    settings: { register: true },
    sources: [
      'https://docs.asterisk.org/Configuration/Channel-Drivers/SIP/Configuring-res_pjsip/res_pjsip-Configuration-Examples/',
    ],
  },
  /**
   * A session border controller: it knows the gateway by its address, and numbers are E.164 with + (SIPconnect). The
   * caller is asserted, because both sides belong to one network of trust (RFC 3325).
   */
  sbc: {
    settings: {
      register: false,
      inbound_auth: 'none',
      number_format: 'e164',
      caller_id: 'p-asserted-identity',
    },
    sources: ['https://www.rfc-editor.org/rfc/rfc3325'],
  },
  /** Preset for authentication by the source address of calls. */
  address: { settings: { register: false, inbound_auth: 'none' }, sources: [] },
} as const satisfies Record<string, TrunkPreset>;

export type PresetName = keyof typeof all;
export const trunkPresets: Readonly<Record<PresetName, TrunkPreset>> = all;

/** Kinds of far ends of a trunk, which decide the fields that the trunk needs. */
export const trunkKinds = ['provider', 'pbx', 'sbc'] as const;
export type TrunkKind = (typeof trunkKinds)[number];

export const trunkKindNamed = (name: string): TrunkKind =>
  trunkKinds.find((known) => known === name) ?? 'provider';

/** Presets of providers in the order of the list. */
export const providerPresets: readonly PresetName[] = ['twilio', 'telnyx', 'vonage', 'sipgate', 'address'];

/** Returns the preset with which a kind begins; undefined where the user chooses one. */
export const presetOfKind = (kind: TrunkKind): PresetName | undefined =>
  kind === 'provider' ? undefined : kind;

/** Names of all presets. */
export const presetNames: readonly PresetName[] = [...providerPresets, 'pbx', 'sbc'];

/** Returns the preset of a name; undefined for the empty name, which selects no preset. */
export const presetNamed = (name: string): PresetName | undefined =>
  presetNames.find((known) => known === name);

/** Fields of a kind that stand in front of the others. */
export const fieldsOfKind = {
  provider: [
    'name',
    'host',
    'username',
    'password',
    'register',
    'number_format',
    'inbound_addresses',
    'enabled',
  ],
  pbx: ['name', 'host', 'username', 'password', 'register', 'number_format', 'enabled'],
  sbc: ['name', 'host', 'port', 'transport', 'number_format', 'caller_id', 'inbound_addresses', 'enabled'],
} as const satisfies Record<TrunkKind, readonly string[]>;

type Values = Readonly<Record<string, string | boolean>>;

/** Returns the settings of a preset as form values. */
export const presetValues = (name: PresetName | undefined): Values => {
  if (name === undefined) return {};
  const { codecs, ...others } = trunkPresets[name].settings;
  return codecs === undefined ? others : { ...others, codecs: codecs.join(' ') };
};

/** Returns the names of fields that still have the preset's values. */
export const setByPreset = (name: PresetName | undefined, values: Values): string[] =>
  Object.entries(presetValues(name))
    .filter(([field, value]) => values[field] === value)
    .map(([field]) => field);

/**
 * Returns the changes when another preset is selected: the settings of the new preset, and defaults in place of
 * unchanged settings of the previous one.
 */
export const changesTo = (
  after: PresetName | undefined,
  { before, values, usual }: { before: PresetName | undefined; values: Values; usual: Values },
): Values => ({
  ...Object.fromEntries(setByPreset(before, values).map((field) => [field, usual[field] ?? ''])),
  ...presetValues(after),
});
