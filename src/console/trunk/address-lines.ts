/** Addresses of a trunk as lines of a form field: `sip1.example.com:5060 10 10 drained`. */
import { addressName } from '#src/domain/trunk.ts';
import type { Trunk } from '../api/records.ts';
import { wholeNumber } from '../parts/form.ts';

type Address = Trunk['addresses'][number];

const drainedWord = 'drained';

export const addressLines = (addresses: readonly Address[]): string =>
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

/** The port follows the last colon, but an IPv6 address without brackets has none. */
const placeIn = (text: string): Pick<Address, 'host' | 'port'> => {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,9}))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain ?? text, port: port === undefined ? null : Number(port) };
};

const addressIn = (line: string): Address => {
  const [place = '', ...rest] = line.trim().split(/\s+/);
  const [priority = '10', weight = '10', ...unknown] = rest.filter((word) => word !== drainedWord);
  return {
    // An unparsable line is sent as the host, so that the server rejects it.
    ...placeIn(unknown.length === 0 ? place : line.trim()),
    priority: wholeNumber('addresses', priority) ?? 10,
    weight: wholeNumber('addresses', weight) ?? 10,
    drained: rest.includes(drainedWord),
  };
};

export const addressesIn = (lines: string): Address[] =>
  lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(addressIn);
