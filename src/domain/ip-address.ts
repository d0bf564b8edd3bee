/** IP addresses as bytes of a packet. */

export const isIpv6 = (host: string): boolean => host.includes(':');

const ipv4Bytes = (host: string): number[] => host.split('.').map(Number);

const groupBytes = (groups: string): number[] =>
  groups === ''
    ? []
    : groups.split(':').flatMap((group) => {
        if (group.includes('.')) return ipv4Bytes(group);
        const value = parseInt(group, 16);
        return [value >>> 8, value & 0xff];
      });

/** Returns the 16 bytes of an address; an IPv4 address is returned as IPv4-mapped (RFC 4291 section 2.5.5.2). */
const ipv6Bytes = (host: string): number[] => {
  if (!isIpv6(host)) return ipv6Bytes(`::ffff:${host}`);
  const [address = ''] = host.split('%');
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [groupBytes(head), groupBytes(tail)];
  return [...before, ...Array.from({ length: 16 - before.length - after.length }, () => 0), ...after];
};

/** Returns the bytes of an address, which must be valid. */
export const ipBytes = (host: string, asIpv6: boolean): Uint8Array =>
  Uint8Array.from(asIpv6 ? ipv6Bytes(host) : ipv4Bytes(host));
