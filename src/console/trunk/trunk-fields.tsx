import { Fragment, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  numberFormats,
  trunkCodecs,
  trunkMedia,
  trunkRedirects,
  trunkSrtp,
  usualFailoverStatuses,
  type TrunkCodec,
  addressName,
} from '#src/domain/trunk.ts';
import type { Trunk } from '../api/records.ts';
import type { TrunkRequest } from '../api.ts';
import { texts } from '../language/language.ts';
import type { Texts } from '../language/texts.ts';
import { AreaField, CheckField, SelectField, TextField } from '../parts/field.tsx';
import {
  numberFields,
  textFields,
  wholeNumber,
  wrongField,
  type FieldsOf,
  type FormValues,
} from '../parts/form.ts';

type Address = Trunk['addresses'][number];

const drainedWord = 'drained';

/** Formats addresses of a trunk as lines of a form field: `sip1.example.com:5060 10 10 drained`. */
const addressLines = (addresses: readonly Address[]): string =>
  addresses
    .map((address) =>
      [
        addressName(address),
        address.priority,
        address.weight,
        ...(address.drained ? [drainedWord] : []),
      ].join(' '),
    )
    .join('\n');

/** Parses host and port. The port follows the last colon, except in an IPv6 address without brackets. */
const placeIn = (text: string): Pick<Address, 'host' | 'port'> => {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,9}))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain ?? text, port: port === undefined ? null : Number(port) };
};

const addressIn = (line: string): Address => {
  const [place = '', ...rest] = line.trim().split(/\s+/);
  const [priority = '10', weight = '10', ...unknown] = rest.filter((word) => word !== drainedWord);
  return {
    // A line that cannot be parsed is sent as the host, so that the server rejects it.
    ...placeIn(unknown.length === 0 ? place : line.trim()),
    priority: wholeNumber('addresses', priority) ?? 10,
    weight: wholeNumber('addresses', weight) ?? 10,
    drained: rest.includes(drainedWord),
  };
};

const addressesIn = (lines: string): Address[] =>
  lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(addressIn);

const optionalTexts = textFields('username', 'realm', 'from_domain');
const optionalNumbers = numberFields('port', 'max_channels', 'calls_per_second');
const ranks = numberFields('priority', 'weight');
const usualRank = 10;

const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** Returns the codecs of the form; null for the default telephone codecs. */
const codecsIn = (text: string): TrunkCodec[] | null => {
  const codecs = wordsIn(text).map((word) => {
    const codec = trunkCodecs.find((known) => known.toLowerCase() === word.toLowerCase());
    if (codec === undefined) throw wrongField('codecs', `Codecs are ${trunkCodecs.join(', ')}.`);
    return codec;
  });
  return codecs.length === 0 ? null : codecs;
};

const usualSwitches = {
  register: false,
  privacy: false,
  refer: false,
  accept_refer: false,
  health_check: true,
  drained: false,
  enabled: true,
};

const switchesIn = ({
  register,
  privacy,
  refer,
  accept_refer,
  health_check,
  drained,
  enabled,
}: typeof usualSwitches) => ({
  register,
  privacy,
  refer,
  accept_refer,
  health_check,
  drained,
  enabled,
});

/** Returns the field values of a trunk; for a new trunk, the API's defaults. */
export const trunkValues = (trunk?: Trunk) => ({
  name: trunk?.name ?? '',
  host: trunk?.host ?? '',
  ...optionalTexts.of(trunk),
  ...optionalNumbers.of(trunk),
  ...ranks.of(trunk ?? { priority: usualRank, weight: usualRank }),
  transport: (trunk?.transport ?? 'udp') as string,
  addresses: addressLines(trunk?.addresses ?? []),
  password: '',
  number_format: (trunk?.number_format ?? 'domestic') as string,
  caller_id: (trunk?.caller_id ?? 'from') as string,
  codecs: (trunk?.codecs ?? []).join(' '),
  srtp: (trunk?.srtp ?? 'off') as string,
  media: (trunk?.media ?? 'freeswitch') as string,
  prefixes: (trunk?.prefixes ?? []).join(' '),
  failover_statuses: (trunk?.failover_statuses ?? usualFailoverStatuses).join(' '),
  redirects: (trunk?.redirects ?? 'refused') as string,
  inbound_addresses: (trunk?.inbound_addresses ?? []).join('\n'),
  inbound_auth: (trunk?.inbound_auth ?? 'none') as string,
  headers_in: (trunk?.headers_in ?? []).join(' '),
  headers_out: (trunk?.headers_out ?? []).join(' '),
  ...switchesIn(trunk ?? usualSwitches),
});

export type TrunkValues = ReturnType<typeof trunkValues>;

const transports = ['udp', 'tcp', 'tls'] as const;
const callerIds = ['from', 'p-asserted-identity', 'p-preferred-identity'] as const;

/** Header names in SIP spelling. */
export const headerNames: Record<(typeof callerIds)[number], string> = {
  from: 'From',
  'p-asserted-identity': 'P-Asserted-Identity',
  'p-preferred-identity': 'P-Preferred-Identity',
};

/** Returns the API request. An empty password keeps the stored one. */
export const trunkRequest = (values: TrunkValues): TrunkRequest => ({
  name: values.name.trim(),
  host: values.host.trim(),
  ...optionalTexts.in(values),
  ...optionalNumbers.in(values),
  transport: transports.find((one) => one === values.transport) ?? 'udp',
  addresses: addressesIn(values.addresses),
  ...(values.password === '' ? {} : { password: values.password }),
  number_format: numberFormats.find((format) => format === values.number_format) ?? 'domestic',
  caller_id: callerIds.find((one) => one === values.caller_id) ?? 'from',
  codecs: codecsIn(values.codecs),
  srtp: trunkSrtp.find((one) => one === values.srtp) ?? 'off',
  media: trunkMedia.find((one) => one === values.media) ?? 'freeswitch',
  prefixes: wordsIn(values.prefixes),
  priority: wholeNumber('priority', values.priority) ?? usualRank,
  weight: wholeNumber('weight', values.weight) ?? usualRank,
  failover_statuses: wordsIn(values.failover_statuses),
  redirects: trunkRedirects.find((one) => one === values.redirects) ?? 'refused',
  inbound_addresses: wordsIn(values.inbound_addresses),
  inbound_auth: values.inbound_auth === 'digest' ? 'digest' : 'none',
  headers_in: wordsIn(values.headers_in),
  headers_out: wordsIn(values.headers_out),
  ...switchesIn(values),
});

export type FieldName = keyof Texts['trunks']['fields'];

/** All fields in their order on the page. Fields with a check mark follow the others of their group. */
const groups = {
  connection: [
    'name',
    'host',
    'username',
    'password',
    'port',
    'transport',
    'addresses',
    'register',
    'health_check',
    'drained',
    'enabled',
  ],
  calls: [
    'number_format',
    'caller_id',
    'inbound_addresses',
    'inbound_auth',
    'from_domain',
    'realm',
    'codecs',
    'srtp',
    'media',
    'redirects',
    'headers_in',
    'headers_out',
    'privacy',
    'refer',
    'accept_refer',
  ],
  limits: ['prefixes', 'priority', 'weight', 'max_channels', 'calls_per_second', 'failover_statuses'],
} as const satisfies Partial<Record<keyof Texts['trunks'], readonly FieldName[]>>;

const groupNames = ['connection', 'calls', 'limits'] as const;

const switches: readonly string[] = Object.keys(usualSwitches);

/** Returns the fields that this trunk needs: the essential ones, and those with a value of their own. */
export const neededFields = (trunk: Trunk): FieldName[] => {
  const [values, usual] = [trunkValues(trunk), trunkValues()];
  const isNeeded = (name: FieldName): boolean =>
    ['name', 'host', 'number_format', 'inbound_addresses', 'enabled'].includes(name) ||
    values[name] !== usual[name] ||
    (name === 'password' && (trunk.username !== null || trunk.password_configured));
  return Object.values(groups).flat().filter(isNeeded);
};

type FieldsProps = {
  form: FieldsOf<FormValues>;
  hasPassword: boolean;
  /** Example of a host. */
  hostPattern?: string | undefined;
};

const controls = ({
  form,
  hasPassword,
  hostPattern = 'sip.example.com',
}: FieldsProps): Readonly<Record<FieldName, () => JSX.Element>> => {
  const t = texts.value.trunks;
  const { fields, hints } = t;
  const field = (name: FieldName) => ({ form, name, label: fields[name] });
  const number = { mode: 'numeric' } as const;
  const check = (name: FieldName) => () => <CheckField {...field(name)} />;
  return {
    name: () => <TextField {...field('name')} />,
    host: () => <TextField {...field('host')} placeholder={hostPattern} />,
    port: () => <TextField {...field('port')} {...number} hint={hints.port} isOptional />,
    transport: () => (
      <SelectField {...field('transport')} options={transports.map((one) => [one, one.toUpperCase()])} />
    ),
    username: () => <TextField {...field('username')} isOptional />,
    password: () => (
      <TextField
        {...field('password')}
        type="password"
        autoComplete="new-password"
        hint={hasPassword ? hints.passwordStored : hints.password}
        isOptional
      />
    ),
    addresses: () => <AreaField {...field('addresses')} rows={2} hint={hints.addresses} isOptional />,
    register: check('register'),
    health_check: check('health_check'),
    drained: check('drained'),
    enabled: check('enabled'),
    number_format: () => <SelectField {...field('number_format')} options={Object.entries(t.format)} />,
    caller_id: () => <SelectField {...field('caller_id')} options={Object.entries(headerNames)} />,
    from_domain: () => <TextField {...field('from_domain')} isOptional />,
    realm: () => <TextField {...field('realm')} isOptional />,
    inbound_auth: () => <SelectField {...field('inbound_auth')} options={Object.entries(t.auth)} />,
    codecs: () => <TextField {...field('codecs')} hint={hints.codecs} isOptional />,
    srtp: () => <SelectField {...field('srtp')} options={Object.entries(t.srtp)} />,
    media: () => <SelectField {...field('media')} options={Object.entries(t.media)} hint={hints.media} />,
    redirects: () => (
      <SelectField {...field('redirects')} options={Object.entries(t.redirects)} hint={hints.redirects} />
    ),
    inbound_addresses: () => (
      <AreaField {...field('inbound_addresses')} rows={2} hint={hints.inbound_addresses} isOptional />
    ),
    headers_in: () => <TextField {...field('headers_in')} hint={hints.headers_in} isOptional />,
    headers_out: () => <TextField {...field('headers_out')} hint={hints.headers_out} isOptional />,
    privacy: check('privacy'),
    refer: check('refer'),
    accept_refer: check('accept_refer'),
    prefixes: () => <TextField {...field('prefixes')} hint={hints.prefixes} isOptional />,
    priority: () => <TextField {...field('priority')} {...number} hint={hints.priority} />,
    weight: () => <TextField {...field('weight')} {...number} hint={hints.weight} />,
    max_channels: () => <TextField {...field('max_channels')} {...number} hint={hints.noLimit} isOptional />,
    calls_per_second: () => (
      <TextField {...field('calls_per_second')} {...number} hint={hints.noLimit} isOptional />
    ),
    failover_statuses: () => (
      <TextField {...field('failover_statuses')} hint={hints.failover_statuses} isOptional />
    ),
  };
};

/** Fields in columns, and below them those with a check mark. */
const Fields = ({ names, ...props }: FieldsProps & { names: readonly FieldName[] }) => {
  const shown = controls(props);
  const shownAs = (isSwitch: boolean) =>
    names
      .filter((name) => switches.includes(name) === isSwitch)
      .map((name) => <Fragment key={name}>{shown[name]()}</Fragment>);
  const inColumns = shownAs(false);
  return (
    <>
      {inColumns.length > 0 && <div class="columns">{inColumns}</div>}
      {shownAs(true)}
    </>
  );
};

/**
 * The fields of a trunk: those of `front`, and the others folded away. Folded fields keep their values; one with an
 * error opens the fold.
 */
export const TrunkFields = ({ front, ...props }: FieldsProps & { front: readonly FieldName[] }) => {
  const t = texts.value.trunks;
  const { form } = props;
  const [isOpen, setOpen] = useState(false);
  const usual: FormValues = trunkValues();
  const all: readonly FieldName[] = Object.values(groups).flat();
  const folded = all.filter((name) => !front.includes(name));
  const set = folded.filter((name) => form.values[name] !== usual[name]).length;
  const hasError = folded.some((name) => form.errorOf(name) !== undefined);
  return (
    <>
      <Fields {...props} names={all.filter((name) => front.includes(name))} />
      <details
        class="more-fields"
        open={isOpen || hasError}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary>
          {t.more} {set > 0 && <small>{t.moreSet(set)}</small>}
        </summary>
        {groupNames.map((group) => {
          const names = folded.filter((name) => groups[group].some((one) => one === name));
          return (
            names.length > 0 && (
              <section key={group}>
                <h3>{t[group]}</h3>
                <Fields {...props} names={names} />
              </section>
            )
          );
        })}
      </details>
    </>
  );
};
